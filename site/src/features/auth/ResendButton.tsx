import { useState } from 'react'
import { resend } from '../../api/account.ts'
import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toasts.ts'

/** Sends the verification email again. */
export function ResendButton({ email }: { email: string }) {
  const t = translate()
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    try {
      await resend(email)
      showToast('success', t('auth.pending.resent'))
    } catch (error) {
      const limited = error instanceof ApiError && error.code === 'too_many_requests'
      showToast('danger', limited ? errorText(error) : t('auth.pending.resendFailed'))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button variant="primary" wide busy={busy} onClick={send}>
      {t('auth.pending.resend')}
    </Button>
  )
}
