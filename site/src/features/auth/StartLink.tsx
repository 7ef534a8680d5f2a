import { useState } from 'react'
import { signInWithCode, signInWithPasskey } from '../../api/account.ts'
import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { continueWith, openLink, previewLink, type StartPreview } from '../../api/start/mailedLink.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { SecondStep } from '../../ui/factors/SecondStep.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { tokenOf, useOnce } from './mailedToken.ts'

type State =
  | { readonly kind: 'opening' }
  | { readonly kind: 'asking'; readonly shown: StartPreview }
  | { readonly kind: 'second'; readonly shown: StartPreview; readonly ticket: string }
  | { readonly kind: 'failed'; readonly error: unknown }

/**
 * Signs in with the mailed link in the page's address: immediately in the browser that asked for it, and in others after a
 * click, because mail scanners open links too.
 */
export function StartLink() {
  const t = translate()
  const [token] = useState(() => tokenOf(location))
  const [state, setState] = useState<State>({ kind: 'opening' })
  const fail = (error: unknown) => setState({ kind: 'failed', error })

  const open = async (shown: StartPreview) => {
    setState({ kind: 'opening' })
    const ticket = await openLink(token, shown)
    if (ticket) setState({ kind: 'second', shown, ticket })
  }
  const read = () => {
    setState({ kind: 'opening' })
    previewLink(token)
      .then((shown) => (shown.same_browser ? open(shown) : setState({ kind: 'asking', shown })))
      .catch(fail)
  }
  useOnce(read)

  switch (state.kind) {
    case 'opening':
      return (
        <Outcome tone="info" icon="spinner" heading={t('auth.start.openingHeading')}>
          <p className="muted">{t('auth.verify.verifyingText')}</p>
        </Outcome>
      )
    case 'asking':
      return <Question shown={state.shown} onOpen={() => open(state.shown).catch(fail)} />
    case 'second': {
      const go = () => continueWith(state.shown)
      return (
        <>
          <h1>{t('auth.start.openingHeading')}</h1>
          <SecondStep
            send={(code) => signInWithCode(state.ticket, code, go)}
            sendPasskey={() => signInWithPasskey(go)}
            onBack={() => location.assign(localHref('/auth/login'))}
          />
        </>
      )
    }
    case 'failed':
      return <Failed error={state.error} onRetry={read} />
  }
}

/** Offers a new link for one that was refused, and another try if the server gave no answer. */
function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = translate()
  const { status, code } = error instanceof ApiError ? error : { status: 0, code: 'unknown' }
  const isRefused = status >= 400 && status < 500 && status !== 429
  return (
    <Outcome
      takesFocus
      tone="danger"
      icon="alert"
      heading={t(isRefused ? 'auth.start.failedHeading' : 'auth.start.unreachedHeading')}
    >
      {/* A link that was cut off is invalid input, which the reader did not enter. */}
      <p className="muted">{code === 'invalid_input' ? t('auth.start.failedText') : errorText(error)}</p>
      {isRefused ? (
        <LinkButton label={t('auth.start.newLink')} variant="primary" wide to="/auth/login" />
      ) : (
        <Button label={t('common.action.retry')} variant="primary" wide icon="refresh" onClick={onRetry} />
      )}
    </Outcome>
  )
}

function Question({ shown, onOpen }: { shown: StartPreview; onOpen: () => void }) {
  const t = translate()
  const makesVideo = shown.prompt !== '' || shown.has_image
  return (
    <Outcome takesFocus tone="info" icon="mail" heading={t('auth.start.askHeading')}>
      <p>
        {t('auth.start.askEmail')} <strong>{shown.email}</strong>
      </p>
      {shown.prompt && <blockquote className="start-prompt anywhere">{shown.prompt}</blockquote>}
      {shown.has_image && <p className="hint">{t('auth.start.askImage')}</p>}
      <Button variant="primary" size="large" wide onClick={onOpen}>
        {t(makesVideo ? 'auth.start.askVideo' : 'auth.start.askSignIn')}
      </Button>
      <p className="hint">{t('auth.start.askHint')}</p>
    </Outcome>
  )
}
