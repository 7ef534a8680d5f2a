import { Fragment, type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from 'react'
import { pageLocale, translate } from '../i18n/client.ts'
import { IconButton } from './Button.tsx'
import { typedKey } from './keys/typedKey.ts'
import { restoreFocus } from './lists/keepFocus.ts'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly size?: 520 | 600 | 800
  /** Keeps the dialog open, because what it has begun can no longer be cancelled. */
  readonly busy?: boolean
  readonly foot?: ReactNode
  readonly children: ReactNode
}

/** Lets a Chinese title break between words. Browsers break it between any two characters. */
function withBreaks(title: string): ReactNode {
  if (pageLocale() !== 'zh' || !('Segmenter' in Intl)) return title
  const parts = [...new Intl.Segmenter('zh', { granularity: 'word' }).segment(title)]
  return parts.map(({ segment, isWordLike, index }, n) => (
    <Fragment key={index}>
      {isWordLike && parts[n - 1]?.isWordLike && <wbr />}
      {segment}
    </Fragment>
  ))
}

/** Shows a native modal dialog while it is rendered; the browser handles focus, Escape and the backdrop. */
export function Dialog({ title, onClose, size = 520, busy = false, foot, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    const opener = document.activeElement
    if (!dialog?.open) dialog?.showModal()
    // Restore focus here: React removes the dialog before the browser can.
    return () => {
      if (opener instanceof HTMLElement) restoreFocus(opener)
    }
  }, [])
  /** Keeps the browser from closing the dialog. A dialog inside this one has events of its own. */
  const hold = (event: SyntheticEvent) => {
    if (busy && (event.target as Element).closest('dialog') === ref.current) event.preventDefault()
  }
  return (
    <dialog
      ref={ref}
      className={`dialog dialog-${size}`}
      aria-labelledby={id}
      onCancel={hold}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        // Escape of an input method ends the composition alone.
        if (typedKey(event.nativeEvent)) hold(event)
        else event.preventDefault()
      }}
      onClose={(event) => {
        // React lets the event of a dialog inside this one bubble.
        if (event.target === ref.current) onClose()
      }}
      onClick={(event) => {
        if (event.target === ref.current && !busy) onClose()
      }}
    >
      <div className="line spread dialog-head">
        <h2 id={id}>{withBreaks(title)}</h2>
        <IconButton icon="close" label={translate()('common.action.close')} disabled={busy} onClick={onClose} />
      </div>
      <div className="stack stack-wide dialog-body">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </dialog>
  )
}
