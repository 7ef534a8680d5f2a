import { resend } from '../../api/account.ts'
import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toasts/toasts.ts'
import { useBusy } from '../../ui/useBusy.ts'

interface ResendButtonProps {
  readonly email: string
  readonly variant?: 'primary' | 'outline'
}

/** Button that resends the verification email. */
export function ResendButton({ email, variant = 'primary' }: ResendButtonProps) {
  const t = translate()
  const [busy, run] = useBusy()
  const send = async () => {
    try {
      await resend(email)
      showToast('success', t('auth.pending.resent'))
    } catch (error) {
      const limited = error instanceof ApiError && error.code === 'too_many_requests'
      showToast('danger', limited ? errorText(error) : t('auth.pending.resendFailed'))
    }
  }
  return <Button label={t('auth.pending.resend')} variant={variant} wide busy={busy} onClick={() => run(send)} />
}
