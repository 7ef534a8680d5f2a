import { useState } from 'react'
import { isTokenRefused, verify } from '../../api/account.ts'
import { errorText } from '../../api/errorText.ts'
import { isRegisteredHere } from '../../api/start/registeredHere.ts'
import { translate } from '../../i18n/client.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { useOnce } from './mailedToken.ts'
import { ResendButton } from './ResendButton.tsx'

type State =
  | { readonly kind: 'missing' | 'asking' | 'verifying' | 'already' }
  | { readonly kind: 'success'; readonly granted: boolean }
  | { readonly kind: 'failed'; readonly error: unknown }

/**
 * Verifies an email address with the token in the page URL: immediately in the browser that registered it, and in others
 * after a click, because mail scanners open links too.
 */
export function EmailVerification() {
  const t = translate()
  const [query] = useState(() => new URLSearchParams(location.search))
  const email = query.get('email')
  const token = query.get('token')
  const [state, setState] = useState<State>(() => ({
    kind: !token ? 'missing' : isRegisteredHere(email) ? 'verifying' : 'asking',
  }))
  const read = () => {
    if (!token) return
    setState({ kind: 'verifying' })
    verify(token).then(
      (answer) => setState(answer ? { kind: 'success', granted: answer.credits_granted } : { kind: 'already' }),
      (error) => setState({ kind: 'failed', error }),
    )
  }
  useOnce(() => {
    if (state.kind === 'verifying') read()
  })

  switch (state.kind) {
    case 'asking':
      return (
        <Outcome tone="info" icon="mail" heading={t('auth.verify.askHeading')}>
          {email && (
            <p>
              {t('auth.verify.askEmail')} <strong>{email}</strong>
            </p>
          )}
          <Button label={t('auth.verify.ask')} variant="primary" size="large" wide onClick={read} />
          <p className="hint">{t('auth.verify.askHint')}</p>
        </Outcome>
      )
    case 'verifying':
      return (
        <Outcome tone="info" icon="spinner" heading={t('auth.verify.verifyingHeading')}>
          <p className="muted">{t('auth.verify.verifyingText')}</p>
        </Outcome>
      )
    case 'already':
      return <Verified heading={t('auth.verify.alreadyHeading')} text={t('auth.verify.successAgain')} />
    case 'success':
      return (
        <Verified
          heading={t('auth.verify.successHeading')}
          text={t(state.granted ? 'auth.verify.successText' : 'auth.verify.successAgain')}
        />
      )
    case 'missing':
      return <Failed text={t('auth.verify.missingToken')} email={email} />
    case 'failed': {
      const text = errorText(state.error, t('auth.verify.failedText'))
      return <Failed text={text} email={email} {...(!isTokenRefused(state.error) && { onRetry: read })} />
    }
  }
}

function Verified({ heading, text }: { heading: string; text: string }) {
  const t = translate()
  return (
    <Outcome takesFocus tone="success" icon="checkRound" heading={heading}>
      <p className="muted">{text}</p>
      <LinkButton label={t('auth.verify.loginNow')} variant="primary" wide to="/auth/login" />
      <LinkButton label={t('auth.verify.backHome')} variant="outline" wide to="/" />
    </Outcome>
  )
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
      {!onRetry && <LinkButton label={t('auth.verify.loginNow')} variant="outline" wide to="/auth/login" />}
      {email && <ResendButton email={email} variant={onRetry ? 'outline' : 'primary'} />}
      <LinkButton
        label={t('auth.pending.registerAgain')}
        variant={email || onRetry ? 'outline' : 'primary'}
        wide
        to="/auth/register"
      />
    </Outcome>
  )
}
