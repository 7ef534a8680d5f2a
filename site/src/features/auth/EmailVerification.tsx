import { useEffect, useRef, useState } from 'react'
import { verify } from '../../api/account.ts'
import { errorText } from '../../api/errorText.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { Icon } from '../../ui/Icon.tsx'
import { ResendButton } from './ResendButton.tsx'

type State =
  | { readonly kind: 'verifying' }
  | { readonly kind: 'success'; readonly granted: boolean }
  | { readonly kind: 'failed'; readonly text: string }

/** Uses the token of the mail's link, and says how it went. */
export function EmailVerification() {
  const t = translate()
  const [query] = useState(() => new URLSearchParams(location.search))
  const [state, setState] = useState<State>({ kind: 'verifying' })
  const asked = useRef(false)
  useEffect(() => {
    // A token works once: a second call would tell the reader that the first one failed.
    if (asked.current) return
    asked.current = true
    const token = query.get('token')
    if (!token) return setState({ kind: 'failed', text: t('auth.verify.missingToken') })
    verify(token).then(
      ({ credits_granted: granted }) => setState({ kind: 'success', granted }),
      (error) => setState({ kind: 'failed', text: errorText(error, t('auth.verify.failedText')) }),
    )
  }, [query, t])

  return (
    <div className="outcome" aria-live="polite" aria-busy={state.kind === 'verifying'}>
      {state.kind === 'verifying' && (
        <>
          <span className="outcome-icon" data-tone="info">
            <span className="spinner" aria-hidden="true" />
          </span>
          <h1>{t('auth.verify.verifyingHeading')}</h1>
          <p className="muted">{t('auth.verify.verifyingText')}</p>
        </>
      )}
      {state.kind === 'success' && <Success granted={state.granted} />}
      {state.kind === 'failed' && <Failed text={state.text} email={query.get('email')} />}
    </div>
  )
}

function Success({ granted }: { granted: boolean }) {
  const t = translate()
  return (
    <>
      <span className="outcome-icon" data-tone="success">
        <Icon name="checkRound" />
      </span>
      <h1>{t('auth.verify.successHeading')}</h1>
      <p className="muted">{t(granted ? 'auth.verify.successText' : 'auth.verify.successAgain')}</p>
      <a className="button button-primary button-wide" href={localHref('/auth/login')}>
        {t('auth.verify.loginNow')}
      </a>
      <a className="button button-outline button-wide" href={localHref('/')}>
        {t('auth.verify.backHome')}
      </a>
    </>
  )
}

function Failed({ text, email }: { text: string; email: string | null }) {
  const t = translate()
  return (
    <>
      <span className="outcome-icon" data-tone="danger">
        <Icon name="alert" />
      </span>
      <h1>{t('auth.verify.failedHeading')}</h1>
      <p className="muted">{text}</p>
      {email && <ResendButton email={email} look="primary" />}
      <a
        className={email ? 'button button-outline button-wide' : 'button button-primary button-wide'}
        href={localHref('/auth/register')}
      >
        {t('auth.pending.registerAgain')}
      </a>
    </>
  )
}
