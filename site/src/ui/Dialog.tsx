import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from './Button.tsx'

interface DialogProps {
  readonly title: string
  readonly closeLabel: string
  readonly onClose: () => void
  readonly size?: 520 | 600 | 800
  readonly foot?: ReactNode
  readonly children: ReactNode
}

/** A modal window while it is rendered: the platform's own, with its focus, Escape and backdrop. */
export function Dialog({ title, closeLabel, onClose, size = 520, foot, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    const opener = document.activeElement
    if (!dialog?.open) dialog?.showModal()
    // React takes the element away before the platform could give the focus back.
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself; the click is on its backdrop.
    <dialog
      ref={ref}
      className={`dialog dialog-${size}`}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) onClose()
      }}
    >
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={closeLabel} onClick={onClose} />
      </div>
      <div className="dialog-body">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </dialog>
  )
}
