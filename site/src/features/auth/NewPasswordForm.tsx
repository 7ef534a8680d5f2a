import { useState } from 'react'
import { isTokenRefused, NewPasswordForm as Rules, setNewPassword } from '../../api/account.ts'
import { translate } from '../../i18n/client.ts'
import { LinkButton } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { Outcome } from '../../ui/Outcome.tsx'
import { NewPasswordField } from '../../ui/passwords/NewPasswordField.tsx'
import { useForm } from '../../ui/useForm.ts'
import { ResetFormEnd, resetFailure } from './ResetFormEnd.tsx'

/** Sets a new password with the token from a reset link. */
export function NewPasswordForm({ token }: { token: string }) {
  const t = translate()
  const [done, setDone] = useState(false)
  const { form, field, problem, busy, ready } = useForm(Rules, async ({ new_password }) => {
    await setNewPassword(token, new_password)
    setDone(true)
  })
  const refused = isTokenRefused(problem)
  const sentence = refused ? t('auth.reset.linkRefused') : resetFailure(problem, t('auth.reset.failed'))
  const failure = problem === undefined ? undefined : sentence
  if (done) return <Done />
  return (
    <>
      <h1>{t('auth.reset.heading')}</h1>
      <p className="muted auth-lead">{t('auth.reset.lead')}</p>
      <form className="stack stack-wide" {...form}>
        <FormProblem text={failure} />
        {refused && <LinkButton label={t('auth.reset.newLink')} variant="outline" wide to="/auth/forgot-password" />}
        <NewPasswordField t={t} label={t('auth.reset.password')} {...field('new_password')} />
        <PasswordField t={t} label={t('auth.reset.confirm')} autoComplete="new-password" {...field('confirm')} />
        <ResetFormEnd submit={t('auth.reset.submit')} busy={busy} ready={ready} />
      </form>
    </>
  )
}

function Done() {
  const t = translate()
  return (
    <Outcome takesFocus tone="success" icon="checkRound" heading={t('auth.reset.doneHeading')}>
      <p className="muted">{t('auth.reset.doneText')}</p>
      <LinkButton label={t('auth.verify.loginNow')} variant="primary" wide to="/auth/login" />
    </Outcome>
  )
}
