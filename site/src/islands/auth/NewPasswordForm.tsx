import { useState } from 'react'
import { localHref, textAt, translate } from '../../i18n/client.ts'
import { ApiError } from '../../lib/apiError.ts'
import { errorText } from '../../lib/errorText.ts'
import { useForm } from '../../lib/useForm.ts'
import { isTokenRefused, NewPasswordForm as Rules, setNewPassword } from '../../stores/account.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { Outcome } from './Outcome.tsx'
import { Problem } from './Problem.tsx'

/** Sets a new password by a token. */
export function NewPasswordForm({ token }: { token: string }) {
  const t = translate()
  const [done, setDone] = useState(false)
  const { form, field, problem, busy, ready } = useForm(Rules, async ({ new_password }) => {
    await setNewPassword(token, new_password)
    setDone(true)
  })
  const eye = { show: t('auth.field.showPassword'), hide: t('auth.field.hidePassword') }
  const refused = isTokenRefused(problem)
  if (done) return <Done />
  return (
    <>
      <h1>{t('auth.reset.heading')}</h1>
      <p className="muted auth-lead">{t('auth.reset.lead')}</p>
      <form className="form" {...form}>
        <Problem text={problem === undefined ? undefined : failureText(problem, t('auth.reset.failed'))} />
        {refused && (
          <a className="button button-outline button-wide" href={localHref('/auth/forgot-password')}>
            {t('auth.reset.newLink')}
          </a>
        )}
        <PasswordField
          label={t('auth.reset.password')}
          hint={t('auth.field.passwordHint')}
          autoComplete="new-password"
          {...eye}
          {...field('new_password')}
        />
        <PasswordField label={t('auth.reset.confirm')} autoComplete="new-password" {...eye} {...field('confirm')} />
        <Button type="submit" look="primary" size="large" wide busy={busy} disabled={!ready}>
          {t('auth.reset.submit')}
        </Button>
        <p className="form-foot">
          <a className="link" href={localHref('/auth/login')}>
            {t('auth.reset.toLogin')}
          </a>
        </p>
      </form>
    </>
  )
}

function failureText(problem: unknown, general: string): string {
  if (isTokenRefused(problem)) return textAt('errors.token_invalid') ?? general
  const told = problem instanceof ApiError && problem.code === 'too_many_requests'
  return told ? errorText(problem) : general
}

function Done() {
  const t = translate()
  return (
    <Outcome tone="success" icon="checkRound" heading={t('auth.reset.doneHeading')}>
      <p className="muted">{t('auth.reset.doneText')}</p>
      <a className="button button-primary button-wide" href={localHref('/auth/login')}>
        {t('auth.verify.loginNow')}
      </a>
    </Outcome>
  )
}
