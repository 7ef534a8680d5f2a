import { useStore } from '@nanostores/react'
import { useState } from 'react'
import { me } from '#backend/accounts/contract.ts'
import { acceptInvitation, JOIN_PAGE, previewInvitation } from '#backend/teams/contract.ts'
import { isTokenRefused } from '../../api/account.ts'
import { type Answer, call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { $session, setSignedIn, startSession } from '../../api/session.ts'
import { keepNext } from '../../api/start/keptNext.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { useBusy } from '../../ui/useBusy.ts'
import { tokenOf, useOnce } from './mailedToken.ts'

type Invitation = Answer<typeof previewInvitation>

type State =
  | { readonly kind: 'opening' }
  | { readonly kind: 'asking'; readonly shown: Invitation }
  | { readonly kind: 'joined'; readonly team: string }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Opens the sign-in, which leads back to the invitation. Its token stays out of addresses that servers log. */
function signInFirst(token: string): void {
  keepNext(`${JOIN_PAGE}#token=${encodeURIComponent(token)}`)
  location.assign(localHref('/auth/login'))
}

/** Shows the mailed invitation in the page's address, and joins the team after a click. */
export function JoinTeam() {
  const t = translate()
  const [token] = useState(() => tokenOf(location))
  const [state, setState] = useState<State>({ kind: 'opening' })
  const read = () => {
    setState({ kind: 'opening' })
    Promise.all([call(previewInvitation, { body: { token } }), startSession()]).then(
      ([shown]) => setState({ kind: 'asking', shown }),
      (error: unknown) => setState({ kind: 'failed', error }),
    )
  }
  useOnce(read)
  switch (state.kind) {
    case 'opening':
      return (
        <Outcome tone="info" icon="spinner" heading={t('teams.join.opening')}>
          <p className="muted">{t('auth.verify.verifyingText')}</p>
        </Outcome>
      )
    case 'asking':
      return <Question token={token} shown={state.shown} onJoined={(team) => setState({ kind: 'joined', team })} />
    case 'joined':
      return (
        <Outcome takesFocus tone="success" icon="checkRound" heading={t('teams.join.done', { team: state.team })}>
          <p className="muted">{t('teams.join.doneText')}</p>
          <LinkButton label={t('teams.join.workspace')} variant="primary" size="large" wide to="/workspace" />
          <LinkButton label={t('teams.join.account')} variant="outline" wide to="/profile/teams" />
        </Outcome>
      )
    case 'failed':
      return <Failed error={state.error} onRetry={read} />
  }
}

/** Offers what to do about an invitation that was refused, and another try if the server gave no answer. */
function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = translate()
  const refused = isTokenRefused(error)
  return (
    <Outcome takesFocus tone="danger" icon="alert" heading={t(refused ? 'teams.join.refused' : 'teams.join.failed')}>
      <p className="muted">{refused ? t('teams.join.refusedText') : errorText(error)}</p>
      {refused ? (
        <LinkButton label={t('teams.join.account')} variant="outline" wide to="/profile/teams" />
      ) : (
        <Button label={t('common.action.retry')} variant="primary" wide icon="refresh" onClick={onRetry} />
      )}
    </Outcome>
  )
}

interface QuestionProps {
  readonly token: string
  readonly shown: Invitation
  readonly onJoined: (team: string) => void
}

function Question({ token, shown, onJoined }: QuestionProps) {
  const t = translate()
  const session = useStore($session)
  const [busy, run] = useBusy()
  const [problem, setProblem] = useState<unknown>()
  const { team, owner, email, credits_per_month: limit } = shown
  const isIn = session.status === 'in'
  const accept = async () => {
    setProblem(undefined)
    try {
      const joined = await call(acceptInvitation, { body: { token } })
      // The token is used up now: without this answer, the next page reads the user.
      if (!isIn) await call(me).then(setSignedIn, () => {})
      onJoined(joined.team.name)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unauthenticated') return signInFirst(token)
      setProblem(error)
    }
  }
  const mustSignIn = !isIn && shown.has_account
  return (
    <Outcome takesFocus tone="info" icon="mail" heading={t('teams.join.heading', { team })}>
      <p>{t('teams.join.by', { owner })}</p>
      <ul className="stack gap-2 join-terms muted">
        <li>{limit === null ? t('teams.join.noLimit') : t('teams.join.limit', { count: limit })}</li>
        <li>{t('teams.join.shared')}</li>
        <li>{t('teams.join.own')}</li>
      </ul>
      <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
      {mustSignIn ? (
        <Button variant="primary" size="large" wide onClick={() => signInFirst(token)}>
          {t('teams.join.signIn')}
        </Button>
      ) : (
        <Button variant="primary" size="large" wide busy={busy} onClick={() => void run(accept)}>
          {t(isIn ? 'teams.join.accept' : 'teams.join.acceptNew')}
        </Button>
      )}
      <p className="hint">
        {isIn
          ? t('teams.join.as', { email: session.user.email })
          : t(mustSignIn ? 'teams.join.signInText' : 'teams.join.newText', { email })}
      </p>
      {!isIn && !mustSignIn && (
        <Button variant="quiet" wide onClick={() => signInFirst(token)}>
          {t('teams.join.other')}
        </Button>
      )}
    </Outcome>
  )
}
