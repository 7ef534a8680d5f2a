import { useEffect, useRef, useState } from 'react'
import { isTokenRefused, verify } from '../../api/account.ts'
import { errorText } from '../../api/errorText.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { ResendButton } from './ResendButton.tsx'

type State =
  | { readonly kind: 'verifying' }
  | { readonly kind: 'success'; readonly granted: boolean }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'missing' }

/** Verifies an email address with the token in the page URL. */
export function EmailVerification() {
  const t = translate()
  const [query] = useState(() => new URLSearchParams(location.search))
  const [state, setState] = useState<State>({ kind: 'verifying' })
  const requested = useRef(false)
  const read = () => {
    const token = query.get('token')
    if (!token) return setState({ kind: 'missing' })
    setState({ kind: 'verifying' })
    verify(token).then(
      ({ credits_granted: granted }) => setState({ kind: 'success', granted }),
      (error) => setState({ kind: 'failed', error }),
    )
  }
  useEffect(() => {
    // The token is single-use. React may run this effect twice, and the second call would fail.
    if (requested.current) return
    requested.current = true
    read()
  })

  const email = query.get('email')
  switch (state.kind) {
    case 'verifying':
      return (
        <Outcome tone="info" icon="spinner" heading={t('auth.verify.verifyingHeading')}>
          <p className="muted">{t('auth.verify.verifyingText')}</p>
        </Outcome>
      )
    case 'success':
      return (
        <Outcome takesFocus tone="success" icon="checkRound" heading={t('auth.verify.successHeading')}>
          <p className="muted">{t(state.granted ? 'auth.verify.successText' : 'auth.verify.successAgain')}</p>
          <LinkButton label={t('auth.verify.loginNow')} variant="primary" wide href={localHref('/auth/login')} />
          <LinkButton label={t('auth.verify.backHome')} variant="outline" wide href={localHref('/')} />
        </Outcome>
      )
    case 'missing':
      return <Failed text={t('auth.verify.missingToken')} email={email} />
    case 'failed': {
      const text = errorText(state.error, t('auth.verify.failedText'))
      return <Failed text={text} email={email} {...(!isTokenRefused(state.error) && { onRetry: read })} />
    }
  }
}

interface FailedProps {
  readonly text: string
  readonly email: string | null
  /** Verifies again. Absent where that cannot help. */
  readonly onRetry?: () => void
}

function Failed({ text, email, onRetry }: FailedProps) {
  const t = translate()
  return (
    <Outcome takesFocus tone="danger" icon="alert" heading={t('auth.verify.failedHeading')}>
      <p className="muted">{text}</p>
      {onRetry && <Button label={t('common.action.retry')} variant="primary" wide icon="refresh" onClick={onRetry} />}
      {!onRetry && (
        <>
          <p className="muted">{t('auth.verify.opened')}</p>
          <LinkButton label={t('auth.verify.loginNow')} variant="outline" wide href={localHref('/auth/login')} />
        </>
      )}
      {email && <ResendButton email={email} variant={onRetry ? 'outline' : 'primary'} />}
      <LinkButton
        label={t('auth.pending.registerAgain')}
        variant={email || onRetry ? 'outline' : 'primary'}
        wide
        href={localHref('/auth/register')}
      />
    </Outcome>
  )
}
