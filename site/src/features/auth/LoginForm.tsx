import { type KeyboardEvent, useEffect, useState } from 'react'
import { Credentials, EmailEntry } from '#backend/accounts/contract.ts'
import { keepRequestedPage, sendSignedInOn, signIn, signInWithCode, signInWithPasskey } from '../../api/account.ts'
import { errorText } from '../../api/errorText.ts'
import { mailLink } from '../../api/start/mailedLink.ts'
import { takeEndedMark } from '../../api/start/sessionEnd.ts'
import { translate } from '../../i18n/client.ts'
import { type Locale, localizedPath } from '../../i18n/core.ts'
import { Button, SubmitButton } from '../../ui/Button.tsx'
import { Field, PasswordField } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { PasskeyButton } from '../../ui/factors/PasskeyButton.tsx'
import { SecondStep } from '../../ui/factors/SecondStep.tsx'
import { typedKey } from '../../ui/keys/typedKey.ts'
import { Notice } from '../../ui/Notice.tsx'
import { useForm } from '../../ui/useForm.ts'
import { ProviderButtons } from './ProviderButtons.tsx'
import { SentLink } from './SentLink.tsx'

/** Returns whether a key in the address asks for a link: Enter does, unless a password was entered. */
function asksForLink(event: KeyboardEvent<HTMLInputElement>): boolean {
  const password = event.currentTarget.form?.elements.namedItem('password') as HTMLInputElement | null
  const closed = document.documentElement.dataset.registration === 'closed'
  return typedKey(event.nativeEvent) === 'Enter' && !password?.value && !closed
}

/** Signs in or signs up with a mailed link, or signs in with a password or a passkey. */
export function LoginForm({ locale }: { locale: Locale }) {
  const t = translate(locale)
  const [ticket, setTicket] = useState<string>()
  const [sentTo, setSentTo] = useState<string>()
  const [ended, setEnded] = useState(false)
  const login = useForm(Credentials, async (value) => setTicket(await signIn(value)))
  const { form, field, problem, busy, ready, submitAs } = login
  useEffect(() => {
    void sendSignedInOn().then(() => setEnded(takeEndedMark()))
  }, [])
  const askForLink = () =>
    submitAs(EmailEntry, async ({ email }) => {
      await mailLink(email)
      setSentTo(email)
    })
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (!asksForLink(event)) return
    event.preventDefault()
    void askForLink()
  }
  if (sentTo !== undefined) return <SentLink email={sentTo} onBack={() => setSentTo(undefined)} />
  if (ticket !== undefined)
    return (
      <SecondStep
        send={(code) => signInWithCode(ticket, code)}
        sendPasskey={() => signInWithPasskey()}
        onBack={() => setTicket(undefined)}
      />
    )
  return (
    <form className="stack stack-wide" {...form}>
      {ended && <Notice tone="info">{t('auth.login.ended')}</Notice>}
      <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
      <ProviderButtons locale={locale} />
      <Field
        label={t('auth.field.email')}
        type="email"
        autoComplete="email"
        inputMode="email"
        onKeyDown={onKeyDown}
        {...field('email')}
      />
      <div className="stack stack-wide with-registration">
        <Button variant="primary" size="large" wide disabled={!ready} busy={busy} onClick={() => void askForLink()}>
          {t('auth.start.continue')}
        </Button>
        <p className="auth-or line muted small">{t('auth.login.or')}</p>
      </div>
      <PasswordField t={t} label={t('auth.field.password')} {...field('password')} />
      <a className="link form-aside" href={localizedPath('/auth/forgot-password', locale)} onClick={keepRequestedPage}>
        {t('auth.login.forgot')}
      </a>
      <SubmitButton label={t('auth.login.submit')} busy={busy} ready={ready} variant="outline" />
      <PasskeyButton send={() => signInWithPasskey()} />
      <p className="form-foot with-registration">
        {t('auth.login.noAccount')}{' '}
        <a className="link" href={localizedPath('/auth/register', locale)} onClick={keepRequestedPage}>
          {t('auth.login.toRegister')}
        </a>
      </p>
    </form>
  )
}
