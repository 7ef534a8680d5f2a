import { useStore } from '@nanostores/react'
import { PICTURE_BACKGROUND } from '#backend/kernel/media/contract.ts'
import { codeText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { IconButton } from '../../../ui/Button.tsx'
import { Fault } from '../../../ui/Field.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { keepFocus } from '../../../ui/lists/keepFocus.ts'
import { ACCEPTED } from '../../../ui/pictures/pictureRules.ts'
import { $faults, clearFault } from '../generation.ts'
import type { FrameSlot } from './frameSlot.ts'
import { $references, addKeptReference, addReference, removeReference } from './frames.ts'
import { KeptPictures } from './KeptPictures.tsx'

const FIELD = 'reference_image_urls'

/** Selects the reference images of a model. @param max how many the model takes */
export function ReferencesField({ max }: { readonly max: number }) {
  const t = translate()
  const slots = useStore($references)
  const fault = useStore($faults)[FIELD]
  const add = (files: FileList | null) => {
    clearFault(FIELD)
    for (const file of [...(files ?? [])].slice(0, max - slots.length)) addReference(file)
  }
  return (
    <fieldset className="stack field">
      <legend className="label">{t('workspace.references.label')}</legend>
      <ul className="references stack" ref={keepFocus}>
        {slots.map((slot, at) => (
          <Reference key={slot.id} slot={slot} number={at + 1} />
        ))}
        {slots.length < max && (
          <li>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: drop is optional; the input is keyboard accessible. */}
            <div
              className="option drop reference rounded clip"
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => {
                event.preventDefault()
                add(event.dataTransfer.files)
              }}
            >
              <input
                id="references"
                type="file"
                multiple
                accept={ACCEPTED}
                aria-label={t('workspace.references.add')}
                aria-invalid={fault ? true : undefined}
                aria-describedby="references-hint"
                onChange={(event) => {
                  add(event.currentTarget.files)
                  event.currentTarget.value = ''
                }}
              />
              <Icon name="upload" />
            </div>
          </li>
        )}
      </ul>
      <div className="line spread field-row">
        <p className="hint" id="references-hint">
          {t('workspace.references.hint', { max })}
        </p>
        {slots.length < max && (
          <KeptPictures
            onChoose={(url) => {
              clearFault(FIELD)
              addKeptReference(url)
            }}
          />
        )}
      </div>
      <div role="alert">{fault && <Fault id="references-fault" text={codeText(fault)} />}</div>
    </fieldset>
  )
}

function Reference({ slot, number }: { readonly slot: FrameSlot; readonly number: number }) {
  const t = translate()
  const frame = useStore(slot.$frame)
  return (
    <li className="reference rounded clip" data-state={frame.status}>
      {frame.status === 'none' ? (
        frame.fault && <Fault id={`reference-${slot.id}`} text={frame.fault} />
      ) : (
        <img
          src={frame.preview}
          style={{ background: PICTURE_BACKGROUND }}
          alt={t('workspace.references.image', { number })}
        />
      )}
      {frame.status === 'uploading' && (
        <progress className="upload-bar" max={100} value={frame.percent} aria-label={t('workspace.image.progress')} />
      )}
      <IconButton
        icon="close"
        label={t('workspace.references.remove', { number })}
        onClick={() => removeReference(slot)}
      />
    </li>
  )
}
