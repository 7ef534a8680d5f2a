import { useState } from 'react'
import { EmailEntry } from '#backend/accounts/contract.ts'
import { requestReset } from '../../api/account.ts'
import { translate } from '../../i18n/client.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { useForm } from '../../ui/useForm.ts'
import { ResetFormEnd, resetFailure } from './ResetFormEnd.tsx'

/** Requests a reset link. The result does not reveal whether the address has an account. */
export function ResetRequest({ missingToken }: { missingToken: boolean }) {
  const [sentTo, setSentTo] = useState<string>()
  if (sentTo !== undefined) return <Sent email={sentTo} again={() => setSentTo(undefined)} />
  return <RequestForm missingToken={missingToken} sent={setSentTo} />
}

function RequestForm({ missingToken, sent }: { missingToken: boolean; sent: (email: string) => void }) {
  const t = translate()
  const { form, field, problem, busy, ready } = useForm(EmailEntry, async ({ email }) => {
    await requestReset(email)
    sent(email)
  })
  const failure = resetFailure(problem, t('auth.reset.requestFailed'))
  const missing = missingToken ? t('auth.reset.missingToken') : undefined
  return (
    <>
      <h1>{t('auth.reset.requestHeading')}</h1>
      <p className="muted auth-lead">{t('auth.reset.requestLead')}</p>
      <form className="stack stack-wide" {...form}>
        <FormProblem text={problem === undefined ? missing : failure} />
        <Field label={t('auth.field.email')} type="email" autoComplete="email" inputMode="email" {...field('email')} />
        <ResetFormEnd submit={t('auth.reset.request')} busy={busy} ready={ready} />
      </form>
    </>
  )
}

function Sent({ email, again }: { email: string; again: () => void }) {
  const t = translate()
  return (
    <Outcome takesFocus tone="info" icon="mail" heading={t('auth.reset.sentHeading')}>
      <p>
        {t('auth.reset.sentText')} <strong>{email}</strong>
      </p>
      <p className="muted">{t('auth.reset.sentHint')}</p>
      <LinkButton label={t('auth.reset.toLogin')} variant="primary" wide to="/auth/login" />
      <Button label={t('auth.reset.requestAgain')} variant="outline" wide onClick={again} />
    </Outcome>
  )
}
