import { useStore } from '@nanostores/react'
import { type DragEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { PICTURE_BACKGROUND } from '#backend/kernel/media/contract.ts'
import { codeText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Fault } from '../../../ui/Field.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { ACCEPTED } from '../../../ui/pictures/pictureRules.ts'
import { $faults, clearFault } from '../generation.ts'
import { CropButton } from './crop/CropButton.tsx'
import type { Frame, FrameSlot } from './frameSlot.ts'
import { KeptPictures } from './KeptPictures.tsx'
import { pastedFiles } from './pastedFiles.ts'

interface FrameFieldProps {
  readonly id: string
  readonly label: string
  readonly slot: FrameSlot
  /** Contract field that the image fills. */
  readonly field: string
  /** Accepts images pasted anywhere on the page while the field is mounted. */
  readonly pastes?: boolean
}

function usePaste(choose: (files: FileList | null | undefined) => boolean, pastes: boolean): void {
  useEffect(() => {
    if (!pastes) return
    const onPaste = (event: ClipboardEvent) => {
      if (choose(pastedFiles(event))) event.preventDefault()
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  })
}

/** Selects a frame by click, drag and drop, or paste, and shows the upload progress. */
export function FrameField({ id, label, slot, field, pastes = false }: FrameFieldProps) {
  const frame = useStore(slot.$frame)
  const missing = useStore($faults)[field]
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const choose = (files: FileList | null | undefined) => {
    const file = files?.[0]
    if (!file) return false
    clearFault(field)
    void slot.choose(file)
    return true
  }
  usePaste(choose, pastes)
  const fault = frame.status === 'none' ? (frame.fault ?? (missing && codeText(missing))) : undefined
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    choose(event.dataTransfer.files)
  }
  return (
    <div className="stack field">
      <div className="line spread field-row">
        <label htmlFor={id} className="label">
          {label}
        </label>
        <KeptPictures
          onChoose={(url) => {
            clearFault(field)
            void slot.restore(url)
          }}
        />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: drop is optional; the input is keyboard accessible. */}
      <div
        className="option drop"
        data-over={over || undefined}
        data-fault={fault ? '' : undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <input
          ref={input}
          id={id}
          type="file"
          accept={ACCEPTED}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? `${id}-fault` : 'frame-rules'}
          onChange={(event) => {
            choose(event.currentTarget.files)
            // Let the user select the same file again after removing it.
            event.currentTarget.value = ''
          }}
        />
        <FramePreview frame={frame} label={label} />
      </div>
      <FrameState frame={frame} slot={slot} input={input} />
      <div role="alert">{fault && <Fault id={`${id}-fault`} text={fault} />}</div>
      {frame.status === 'none' && frame.original && (
        <div className="row">
          <CropButton slot={slot} onApplied={() => input.current?.focus()} />
        </div>
      )}
    </div>
  )
}

function FramePreview({ frame, label }: Readonly<{ frame: Frame; label: string }>) {
  const t = translate()
  if (frame.status !== 'none')
    return (
      <img
        src={frame.preview}
        style={{ background: PICTURE_BACKGROUND, objectViewBox: viewBoxOf(frame) }}
        alt={label}
      />
    )
  return (
    <div className="stack drop-empty centered center">
      <Icon name="upload" />
      <strong>{t('workspace.image.drop')}</strong>
    </div>
  )
}

/** Shows, in browsers that can, only the part that is being uploaded. */
function viewBoxOf(frame: Frame): string | undefined {
  if (frame.status !== 'uploading' || !frame.crop) return undefined
  const { left, top, right, bottom } = frame.crop
  return `inset(${[top, 1 - right, 1 - bottom, left].map((side) => `${side * 100}%`).join(' ')})`
}

interface FrameStateProps {
  readonly frame: Frame
  readonly slot: FrameSlot
  readonly input: RefObject<HTMLInputElement | null>
}

/** Progress and actions. Its live region is there before its text, because screen readers announce only changes. */
function FrameState({ frame, slot, input }: FrameStateProps) {
  const t = translate()
  const isReady = frame.status === 'ready'
  // The button disappears with the image.
  const remove = () => {
    slot.remove()
    input.current?.focus()
  }
  return (
    <div className={frame.status === 'none' ? 'sr-only' : 'row'}>
      <span className={isReady ? 'hint frame-ready' : 'sr-only'} role="status">
        {isReady && (
          <>
            <Icon name="checkRound" />
            {t('workspace.image.ready')}
          </>
        )}
      </span>
      {frame.status === 'uploading' && (
        <>
          <div className="frame-progress stack gap-1">
            <span className="hint">{t('workspace.image.uploading', { percent: frame.percent })}</span>
            <progress
              className="upload-bar"
              max={100}
              value={frame.percent}
              aria-label={t('workspace.image.progress')}
            />
          </div>
          <Button label={t('workspace.image.cancel')} variant="quiet" icon="close" onClick={remove} />
        </>
      )}
      {isReady && (
        <>
          <CropButton slot={slot} onApplied={() => input.current?.focus()} />
          <Button label={t('workspace.image.replace')} variant="quiet" onClick={() => input.current?.click()} />
          <Button label={t('workspace.image.remove')} variant="quiet" icon="trash" onClick={remove} />
        </>
      )}
      {frame.status !== 'none' && !frame.wide && (
        <p className="hint frame-warning">{t('workspace.image.ratioWarning')}</p>
      )}
    </div>
  )
}
