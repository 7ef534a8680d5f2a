import { translate } from '../../i18n/client.ts'
import { Button } from '../Button.tsx'

interface FormFootProps {
  /** The form's id. */
  readonly form: string
  readonly submit: string
  readonly busy: boolean
  readonly ready: boolean
  readonly onClose: () => void
}

/** The buttons of a dialog with a form. */
export function FormFoot({ form, submit, busy, ready, onClose }: FormFootProps) {
  return (
    <>
      <Button label={translate()('common.action.cancel')} variant="quiet" onClick={onClose} />
      <Button type="submit" form={form} variant="primary" busy={busy} disabled={!ready}>
        {submit}
      </Button>
    </>
  )
}
