import { useEffect } from 'react'
import { RegistrationForm, sendSignedInOn, signUp } from '../../api/account.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { type Locale, localizedPath } from '../../i18n/core.ts'
import { SubmitButton } from '../../ui/Button.tsx'
import { Field, PasswordField } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { NewPasswordField } from '../../ui/passwords/NewPasswordField.tsx'
import { useForm } from '../../ui/useForm.ts'
import { ProviderButtons } from './ProviderButtons.tsx'

export function RegisterForm({ locale }: { locale: Locale }) {
  const t = translate(locale)
  const { form, field, problem, busy, ready } = useForm(RegistrationForm, signUp)
  useEffect(() => void sendSignedInOn(), [])
  return (
    <form className="stack stack-wide" {...form}>
      <FormProblem text={problem === undefined ? undefined : errorText(problem, t('auth.register.failed'))} />
      <ProviderButtons locale={locale} />
      <Field label={t('auth.field.name')} autoComplete="name" {...field('username')} />
      <Field label={t('auth.field.email')} type="email" autoComplete="email" inputMode="email" {...field('email')} />
      <NewPasswordField t={t} label={t('auth.field.password')} {...field('password')} />
      <PasswordField t={t} label={t('auth.field.confirm')} autoComplete="new-password" {...field('confirm')} />
      <SubmitButton label={t('auth.register.submit')} busy={busy} ready={ready} />
      <p className="form-foot">
        {t('auth.register.haveAccount')}{' '}
        <a className="link" href={localizedPath('/auth/login', locale)}>
          {t('auth.register.toLogin')}
        </a>
      </p>
    </form>
  )
}
