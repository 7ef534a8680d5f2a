import { useStore } from '@nanostores/react'
import { isCropped, ratiosOf } from '#backend/tasks/contract.ts'
import { $models } from '../../../api/models.ts'
import { pageLocale, textAt, translate } from '../../../i18n/client.ts'
import { Choices } from '../../../ui/Choices.tsx'
import { $generation, setOption } from '../generation.ts'
import { allRatios, ratioOf } from './optionRules.ts'

/** Chooses the aspect ratio. A model without ratios has its videos cut, which is shown before it is paid. */
export function RatioPicker() {
  const t = translate()
  const models = useStore($models)
  const { model: id, taskType, aspectRatio } = useStore($generation)
  const model = models.find((one) => one.id === id)
  if (!model) return null
  const own = ratiosOf(model)
  const reason = t('workspace.excluded.ratioModel', { model: model.names[pageLocale()], ratios: own.join(', ') })
  // What only a cut of another model gives is no ratio that this one lacks.
  const shown = models.filter((one) => one === model || !isCropped(one))
  // The video of a picture has the picture's ratio, any other one is wide.
  const isWhole = isCropped(model) && taskType === 'image_to_video'
  const usual = isWhole ? '' : '16:9'
  return (
    <Choices
      label={t('workspace.form.ratio')}
      value={ratioOf(model, aspectRatio) ?? usual}
      options={[...(isWhole ? [''] : []), ...allRatios(shown, taskType)].map((ratio) => {
        const note = textAt(`workspace.ratio.${ratio || 'whole'}`)
        return {
          value: ratio,
          label: ratio || t('workspace.ratio.whole'),
          excluded: ratio === '' || own.includes(ratio) ? null : reason,
          ...(note && ratio ? { note } : {}),
        }
      })}
      onChange={(ratio) => setOption('aspectRatio', ratio || null)}
    />
  )
}
