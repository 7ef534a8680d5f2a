import { useState } from 'react'
import { translate } from '../../i18n/client.ts'
import { ApiError } from '../../lib/apiError.ts'
import { errorText } from '../../lib/errorText.ts'
import { resend } from '../../stores/account.ts'
import { showToast } from '../../stores/toasts.ts'
import { Button } from '../../ui/Button.tsx'

/** Mails the verification link again. */
export function ResendButton({ email, look }: { email: string; look: 'primary' | 'outline' }) {
  const t = translate()
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    try {
      await resend(email)
      showToast('success', t('auth.pending.resent'))
    } catch (error) {
      const told = error instanceof ApiError && error.code === 'too_many_requests'
      showToast('danger', told ? errorText(error) : t('auth.pending.resendFailed'))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button look={look} wide busy={busy} onClick={send}>
      {t('auth.pending.resend')}
    </Button>
  )
}
