import { useEffect, useRef, useState } from 'react'
import { verify } from '../../api/account.ts'
import { errorText } from '../../api/errorText.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { ResendButton } from './ResendButton.tsx'

type State =
  | { readonly kind: 'verifying' }
  | { readonly kind: 'success'; readonly granted: boolean }
  | { readonly kind: 'failed'; readonly text: string }

/** Verifies an email address with the token in the page URL. */
export function EmailVerification() {
  const t = translate()
  const [query] = useState(() => new URLSearchParams(location.search))
  const [state, setState] = useState<State>({ kind: 'verifying' })
  const requested = useRef(false)
  useEffect(() => {
    // The token is single-use. React may run this effect twice, and the second call would fail.
    if (requested.current) return
    requested.current = true
    const token = query.get('token')
    if (!token) return setState({ kind: 'failed', text: t('auth.verify.missingToken') })
    verify(token).then(
      ({ credits_granted: granted }) => setState({ kind: 'success', granted }),
      (error) => setState({ kind: 'failed', text: errorText(error, t('auth.verify.failedText')) }),
    )
  }, [query, t])

  return (
    <div aria-live="polite" aria-busy={state.kind === 'verifying'}>
      {state.kind === 'verifying' && (
        <Outcome tone="info" icon="spinner" heading={t('auth.verify.verifyingHeading')}>
          <p className="muted">{t('auth.verify.verifyingText')}</p>
        </Outcome>
      )}
      {state.kind === 'success' && (
        <Outcome tone="success" icon="checkRound" heading={t('auth.verify.successHeading')}>
          <p className="muted">{t(state.granted ? 'auth.verify.successText' : 'auth.verify.successAgain')}</p>
          <LinkButton label={t('auth.verify.loginNow')} variant="primary" wide href={localHref('/auth/login')} />
          <LinkButton label={t('auth.verify.backHome')} variant="outline" wide href={localHref('/')} />
        </Outcome>
      )}
      {state.kind === 'failed' && <Failed text={state.text} email={query.get('email')} />}
    </div>
  )
}

function Failed({ text, email }: { text: string; email: string | null }) {
  const t = translate()
  return (
    <Outcome tone="danger" icon="alert" heading={t('auth.verify.failedHeading')}>
      <p className="muted">{text}</p>
      {email && <ResendButton email={email} />}
      <a
        className={`button button-wide ${email ? 'button-outline' : 'button-primary'}`}
        href={localHref('/auth/register')}
      >
        {t('auth.pending.registerAgain')}
      </a>
    </Outcome>
  )
}
