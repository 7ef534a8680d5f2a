import { useState } from 'react'
import { goToProvider, pageHere, signInWithCode, signInWithPasskey } from '../../api/account.ts'
import { codeText } from '../../api/errorText.ts'
import { readProviders } from '../../api/start/providers.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { SecondStep } from '../../ui/factors/SecondStep.tsx'
import { Outcome } from '../../ui/Outcome.tsx'

const SIGN_INS = '/profile/security#sign-ins'
const LOGIN = '/auth/login'

/** Asks for the second factor after a sign-in at a provider, or says why the sign-in failed. Reads the fragment of the address. */
export function ProviderEnd() {
  const t = translate()
  const [said] = useState(() => new URLSearchParams(location.hash.slice(1)))
  const ticket = said.get('ticket')
  const problem = said.get('problem') ?? 'flow_invalid'
  const provider = readProviders().find(({ id }) => id === said.get('provider'))
  const next = said.get('next')
  if (ticket) {
    const go = async () => pageHere(next)
    return (
      <>
        <h1>{t('auth.start.openingHeading')}</h1>
        <SecondStep
          send={(code) => signInWithCode(ticket, code, go)}
          sendPasskey={() => signInWithPasskey(go)}
          onBack={() => location.assign(localHref(LOGIN))}
        />
      </>
    )
  }
  if (said.get('connects'))
    return (
      <Outcome takesFocus tone="danger" icon="alert" heading={t('auth.provider.problem')}>
        <p className="muted">{codeText(problem)}</p>
        <LinkButton label={t('auth.provider.toAccount')} variant="primary" wide to={SIGN_INS} />
      </Outcome>
    )
  if (problem === 'link_refused') return <Refused name={provider?.name ?? t('auth.provider.fallback')} />
  return (
    <Outcome takesFocus tone="danger" icon="alert" heading={t('auth.provider.problem')}>
      <p className="muted">{codeText(problem)}</p>
      {provider && (
        <Button variant="primary" wide icon="refresh" onClick={() => goToProvider(provider.id, pageHere(next))}>
          {t('auth.provider.again')}
        </Button>
      )}
      <LinkButton label={t('auth.provider.back')} variant="outline" wide to={LOGIN} />
    </Outcome>
  )
}

/** Says that a sign-in is connected to an account after a sign-in here. */
function Refused({ name }: { name: string }) {
  const t = translate()
  return (
    <Outcome takesFocus tone="info" icon="user" heading={t('auth.provider.refused')}>
      <p className="muted">{t('auth.provider.refusedText', { name })}</p>
      <LinkButton
        label={t('auth.provider.toSecurity')}
        variant="primary"
        wide
        to={`${LOGIN}?next=${encodeURIComponent(SIGN_INS)}`}
      />
      <p className="hint with-registration">{t('auth.provider.refusedNew')}</p>
    </Outcome>
  )
}
