import { errorText } from '../../api/errorText.ts'
import { mailLink } from '../../api/start/mailedLink.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { showToast } from '../../ui/toasts/toasts.ts'
import { useBusy } from '../../ui/useBusy.ts'

interface SentLinkProps {
  readonly email: string
  readonly onBack: () => void
}

/** Tells that a sign-in link was mailed, whether or not the address has an account. */
export function SentLink({ email, onBack }: SentLinkProps) {
  const t = translate()
  const [busy, run] = useBusy()
  const again = () =>
    mailLink(email).then(
      () => showToast('success', t('auth.pending.resent')),
      (error) => showToast('danger', errorText(error, t('auth.pending.resendFailed'))),
    )
  return (
    <Outcome takesFocus tone="info" icon="mail" heading={t('auth.start.sentHeading')}>
      <p>
        {t('auth.start.sentTo')} <strong>{email}</strong>
      </p>
      <p className="muted">{t('auth.start.sentText')}</p>
      <Button label={t('auth.start.again')} variant="primary" wide busy={busy} onClick={() => run(again)} />
      <Button label={t('auth.start.another')} variant="outline" wide onClick={onBack} />
    </Outcome>
  )
}
