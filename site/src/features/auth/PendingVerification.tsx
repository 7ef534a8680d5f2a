import { useEffect, useState } from 'react'
import { localHref, translate } from '../../i18n/client.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { showToast } from '../../ui/toasts/toasts.ts'
import { ResendButton } from './ResendButton.tsx'

/** Shows the address the verification email was sent to. Redirects to registration if the URL has none. */
export function PendingVerification() {
  const t = translate()
  const [email] = useState(() => new URLSearchParams(location.search).get('email')?.trim() ?? '')
  useEffect(() => {
    if (email) return
    showToast('warning', t('auth.pending.missingEmail'))
    const timer = setTimeout(() => location.replace(localHref('/auth/register')), 2000)
    return () => clearTimeout(timer)
  }, [email, t])
  if (!email)
    return (
      <div className="stack stack-wide outcome anywhere centered">
        <h1>{t('auth.pending.heading')}</h1>
        <p className="muted">{t('auth.pending.missingEmail')}</p>
        <LinkButton label={t('auth.pending.registerAgain')} variant="primary" wide to="/auth/register" />
      </div>
    )
  return (
    <Outcome tone="info" icon="mail" heading={t('auth.pending.heading')}>
      <p>
        {t('auth.pending.lead')} <strong>{email}</strong>
      </p>
      <p className="muted">{t('auth.pending.hint')}</p>
      <ResendButton email={email} />
      <LinkButton label={t('auth.pending.toLogin')} variant="outline" wide to="/auth/login" />
      <a className="link outcome-link" href={localHref('/auth/register')}>
        {t('auth.pending.registerAgain')}
      </a>
    </Outcome>
  )
}
