import { useStore } from '@nanostores/react'
import { useEffect } from 'react'
import { codeText } from '../../../api/errorText.ts'
import { $models } from '../../../api/models.ts'
import { translate } from '../../../i18n/client.ts'
import { refuseStrayFiles } from '../../../ui/pictures/refuseStrayFiles.ts'
import { $generation } from '../generation.ts'
import { useOffer } from '../options/OptionFields.tsx'
import { FrameField } from './FrameField.tsx'
import { firstFrame, lastFrame } from './frames.ts'
import { ReferencesField } from './ReferencesField.tsx'

/** The images that the mode and the model take. */
export function Images() {
  const t = translate()
  const { taskType, model } = useStore($generation)
  const max = useStore($models).find(({ id }) => id === model)?.inputs.references ?? 0
  const last = useOffer('lastFrame')
  const references = useOffer('references')
  const firstStatus = useStore(firstFrame.$frame).status
  useEffect(refuseStrayFiles, [])
  const isImage = taskType === 'image_to_video'
  return (
    <>
      {isImage && (
        <div className="stack">
          <div className={last === 'offered' ? 'frames stack gap-3 frames-two' : 'frames stack gap-3'}>
            <FrameField
              id="first-frame"
              label={t('workspace.image.label')}
              slot={firstFrame}
              field="first_frame_image_url"
              pastes={last !== 'offered' || firstStatus === 'none'}
            />
            {last === 'offered' && (
              <FrameField
                id="last-frame"
                label={t('workspace.image.lastLabel')}
                slot={lastFrame}
                field="last_frame_image_url"
                pastes={firstStatus !== 'none'}
              />
            )}
          </div>
          <p className="hint" id="frame-rules">
            {t('workspace.image.rules')}
            {last === 'excluded' && ` · ${codeText('last_frame_not_for_model')}`}
          </p>
        </div>
      )}
      {references === 'offered' && <ReferencesField max={max} />}
      {references === 'excluded' && <p className="hint">{codeText('references_not_for_model')}</p>}
    </>
  )
}
