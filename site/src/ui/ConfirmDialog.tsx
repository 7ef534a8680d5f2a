import type { ReactNode } from 'react'
import { translate } from '../i18n/client.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'

interface ConfirmDialogProps {
  readonly title: string
  readonly confirm: string
  /** Label of the button that changes nothing; "Cancel" by default. */
  readonly keep?: string
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Asks for confirmation before a deletion or cancellation. */
export function ConfirmDialog({ title, confirm, keep, onConfirm, onClose, children }: ConfirmDialogProps) {
  const foot = (
    <>
      <Button onClick={onClose}>{keep ?? translate()('common.action.cancel')}</Button>
      <Button
        label={confirm}
        variant="danger"
        onClick={() => {
          onClose()
          onConfirm()
        }}
      />
    </>
  )
  return (
    <Dialog title={title} onClose={onClose} foot={foot}>
      {children}
    </Dialog>
  )
}
