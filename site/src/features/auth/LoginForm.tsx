import { useEffect, useState } from 'react'
import { Credentials } from '#backend/accounts/contract.ts'
import { sendSignedInOn, signIn, signInWithCode, signInWithPasskey } from '../../api/account.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { type Locale, localizedPath } from '../../i18n/core.ts'
import { SubmitButton } from '../../ui/Button.tsx'
import { Field, PasswordField } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { PasskeyButton } from '../../ui/factors/PasskeyButton.tsx'
import { SecondStep } from '../../ui/factors/SecondStep.tsx'
import { useForm } from '../../ui/useForm.ts'

export function LoginForm({ locale }: { locale: Locale }) {
  const t = translate(locale)
  const [ticket, setTicket] = useState<string>()
  const { form, field, problem, busy, ready } = useForm(Credentials, async (value) => setTicket(await signIn(value)))
  useEffect(() => void sendSignedInOn(), [])
  if (ticket !== undefined)
    return (
      <SecondStep
        send={(code) => signInWithCode(ticket, code)}
        sendPasskey={signInWithPasskey}
        onBack={() => setTicket(undefined)}
      />
    )
  return (
    <form className="stack stack-wide" {...form}>
      <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
      <Field label={t('auth.field.email')} type="email" autoComplete="email" inputMode="email" {...field('email')} />
      <PasswordField
        label={t('auth.field.password')}
        show={t('auth.field.showPassword')}
        hide={t('auth.field.hidePassword')}
        autoComplete="current-password"
        {...field('password')}
      />
      <a className="link form-aside" href={localizedPath('/auth/forgot-password', locale)}>
        {t('auth.login.forgot')}
      </a>
      <SubmitButton label={t('auth.login.submit')} busy={busy} ready={ready} />
      <PasskeyButton send={signInWithPasskey} />
      <p className="form-foot with-registration">
        {t('auth.login.noAccount')}{' '}
        <a className="link" href={localizedPath('/auth/register', locale)}>
          {t('auth.login.toRegister')}
        </a>
      </p>
    </form>
  )
}
