import { useStore } from '@nanostores/react'
import { type ReactNode, useEffect, useState } from 'react'
import { userFactors } from '#backend/accounts/contract.ts'
import { USUAL_CREDITS } from '#backend/apiKeys/oauth/contract.ts'
import { ApiError } from '../../../api/apiError.ts'
import { errorText } from '../../../api/errorText.ts'
import { $session } from '../../../api/session.ts'
import { translate } from '../../../i18n/client.ts'
import { LinkButton, SubmitButton } from '../../../ui/Button.tsx'
import { ErrorBoundary } from '../../../ui/ErrorBoundary.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Outcome } from '../../../ui/Outcome.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { LongWait } from '../../../ui/waits/LongWait.tsx'
import { $request, type AccessView, allow, ConsentForm, loadRequest, openConsent } from './consent.ts'
import { KeyProof, proofText } from './KeyProof.tsx'

/** Asks the user whether a program may act for the account. */
export function Consent() {
  const request = useStore($request)
  useEffect(() => void openConsent(), [])
  return (
    <ErrorBoundary>
      {request === null ? (
        <>
          <LongWait onRetry={loadRequest} />
          <div className="skeleton consent-skeleton" aria-busy="true" />
        </>
      ) : (
        <div className="stack stack-wide card consent-card">
          {'failure' in request ? <Refused failure={request.failure} /> : <Decision request={request} />}
        </div>
      )}
    </ErrorBoundary>
  )
}

/** Says why a request cannot be allowed. The browser goes back to the program only by the user's click. */
function Refused({ failure }: { failure: unknown }) {
  const t = translate()
  const { refused_url } = (failure instanceof ApiError ? failure.body : {}) as { refused_url?: string }
  return (
    <Outcome tone="danger" icon="alert" heading={t('keys.consent.refused')}>
      <p>{errorText(failure, t('keys.consent.failed'))}</p>
      {refused_url ? (
        <LinkButton label={t('keys.consent.back')} variant="outline" href={refused_url} />
      ) : (
        <LinkButton label={t('keys.consent.account')} variant="outline" to="/profile/developers" />
      )}
    </Outcome>
  )
}

function Decision({ request }: { request: AccessView }) {
  const t = translate()
  const session = useStore($session)
  const [goesTo, setGoesTo] = useState<string>()
  const { guard, dialog } = useStepUp(userFactors)
  const { form, field, problem, busy, ready } = useForm(ConsentForm, async (decision) => {
    const address = await guard(() => allow(decision))
    setGoesTo(address)
    location.assign(address)
  })
  const { client, scopes, returns_to, refused_url } = request
  if (goesTo) return <Allowed name={client.name} address={goesTo} />
  return (
    <>
      <h1 className="anywhere">{t('keys.consent.heading', { name: client.name })}</h1>
      {session.status === 'in' && (
        <p className="muted anywhere">{t('keys.consent.as', { email: session.user.email })}</p>
      )}
      <Client request={request} />
      <section className="stack">
        <h2 className="consent-part">{t('keys.consent.scopes')}</h2>
        <ul className="stack gap-1">
          {scopes.map((scope) => (
            <li className="line consent-scope" key={scope}>
              <Icon name="check" /> {t(`keys.scope.${scope}`)}
            </li>
          ))}
        </ul>
      </section>
      <form className="stack stack-wide" {...form}>
        <FormProblem text={proofText(problem)} />
        {scopes.includes('videos:write') && (
          <Field
            label={t('keys.consent.limit')}
            hint={t('keys.consent.limitHint')}
            inputMode="numeric"
            autoComplete="off"
            defaultValue={USUAL_CREDITS}
            {...field('credits_per_month')}
          />
        )}
        <KeyProof {...field('password')} />
        <p className="hint">{t('keys.consent.life')}</p>
        <p className="hint anywhere">
          {returns_to ? t('keys.consent.returns', { place: returns_to }) : t('keys.consent.returnsHere')}
        </p>
        <div className="stack">
          <SubmitButton label={t('keys.consent.allow')} busy={busy} ready={ready} />
          <LinkButton label={t('keys.consent.deny')} variant="quiet" wide href={refused_url} />
        </div>
      </form>
      {dialog}
    </>
  )
}

/** Says what is known of the program: who vouches for its name. */
function Client({ request: { client } }: { request: AccessView }): ReactNode {
  const t = translate()
  return client.host === null ? (
    <Notice tone="warning">{t('keys.consent.unverified')}</Notice>
  ) : (
    <Notice tone="info">{t('keys.consent.verified', { host: client.host })}</Notice>
  )
}

/** Stays when the browser opens a program, which leaves the page where it is. */
function Allowed({ name, address }: { name: string; address: string }) {
  const t = translate()
  return (
    <Outcome tone="success" icon="check" heading={t('keys.consent.allowed', { name })} takesFocus>
      <p>{t('keys.consent.allowedText')}</p>
      <LinkButton label={t('keys.consent.continue', { name })} variant="outline" href={address} />
    </Outcome>
  )
}
