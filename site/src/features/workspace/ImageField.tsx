import { useStore } from '@nanostores/react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { codeText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Fault } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { $firstFrame, chooseFirstFrame, type FirstFrame, removeFirstFrame } from './firstFrame.ts'
import { IMAGE_TYPES } from './firstFrameRules.ts'
import { $faults, clearFault } from './generation.ts'

function chooseFrom(files: FileList | null | undefined): boolean {
  const file = files?.[0]
  if (!file) return false
  clearFault('first_frame_image_url')
  void chooseFirstFrame(file)
  return true
}

/** Accepts images pasted anywhere on the page while the field is mounted. */
function usePaste(): void {
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      if (chooseFrom(event.clipboardData?.files)) event.preventDefault()
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [])
}

/** Selects the first frame by click, drag and drop, or paste, and shows the upload progress. */
export function ImageField() {
  const t = translate()
  const frame = useStore($firstFrame)
  const missing = useStore($faults).first_frame_image_url
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  usePaste()
  const fault = frame.status === 'none' ? (frame.fault ?? (missing && codeText(missing))) : undefined
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    chooseFrom(event.dataTransfer.files)
  }
  return (
    <div className="stack field">
      <label htmlFor="first-frame" className="label">
        {t('workspace.image.label')}
      </label>
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
          id="first-frame"
          type="file"
          accept={IMAGE_TYPES.join(',')}
          aria-invalid={fault ? true : undefined}
          aria-describedby={fault ? 'first-frame-fault' : 'first-frame-rules'}
          onChange={(event) => {
            chooseFrom(event.currentTarget.files)
            // Let the user select the same file again after removing it.
            event.currentTarget.value = ''
          }}
        />
        {frame.status === 'none' ? (
          <div className="stack drop-empty">
            <Icon name="upload" />
            <strong>{t('workspace.image.drop')}</strong>
          </div>
        ) : (
          <img src={frame.preview} alt={t('workspace.image.preview')} />
        )}
      </div>
      {frame.status !== 'none' && <FrameState frame={frame} onReplace={() => input.current?.click()} />}
      <p className="hint" id="first-frame-rules">
        {t('workspace.image.rules')}
      </p>
      <div role="alert">{fault && <Fault id="first-frame-fault" text={fault} />}</div>
    </div>
  )
}

function FrameState({ frame, onReplace }: { frame: Exclude<FirstFrame, { status: 'none' }>; onReplace: () => void }) {
  const t = translate()
  return (
    <div className="row">
      {frame.status === 'uploading' ? (
        <div className="frame-progress">
          <span className="hint">{t('workspace.image.uploading', { percent: frame.percent })}</span>
          <progress className="upload-bar" max={100} value={frame.percent} aria-label={t('workspace.image.progress')} />
        </div>
      ) : (
        <span className="hint frame-ready" role="status">
          <Icon name="checkRound" />
          {t('workspace.image.ready')}
        </span>
      )}
      {frame.status === 'uploading' ? (
        <Button label={t('workspace.image.cancel')} variant="quiet" icon="close" onClick={() => removeFirstFrame()} />
      ) : (
        <>
          <Button label={t('workspace.image.replace')} variant="quiet" onClick={onReplace} />
          <Button label={t('workspace.image.remove')} variant="quiet" icon="trash" onClick={() => removeFirstFrame()} />
        </>
      )}
      {!frame.wide && <p className="hint frame-warning">{t('workspace.image.ratioWarning')}</p>}
    </div>
  )
}
