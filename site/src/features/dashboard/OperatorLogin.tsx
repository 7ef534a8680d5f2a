import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { Login } from '#backend/operators/contract.ts'
import { check } from '../../api/check.ts'
import { translate } from '../../i18n/client.ts'
import { type Locale, localizedPath } from '../../i18n/core.ts'
import { LinkButton, SubmitButton } from '../../ui/Button.tsx'
import { Field, PasswordField } from '../../ui/Field.tsx'
import { PasskeyButton } from '../../ui/factors/PasskeyButton.tsx'
import { SecondStep } from '../../ui/factors/SecondStep.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { signInFailure, signInOperator, signInWithCode, signInWithPasskey } from './operator.ts'

type Problem = ReturnType<typeof signInFailure>

export function OperatorLogin({ locale }: { locale: Locale }) {
  const t = translate(locale)
  const form = useRef<HTMLFormElement>(null)
  const [problem, setProblem] = useState<Problem>()
  const [missing, setMissing] = useState<readonly string[]>([])
  const [busy, setBusy] = useState(false)
  const [ticket, setTicket] = useState<string>()
  // Submitting before hydration would reload the page.
  const [ready, setReady] = useState(false)
  useEffect(() => setReady(true), [])

  const onSubmit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy) return
    const read = check(Login, Object.fromEntries(new FormData(event.currentTarget)))
    setMissing(read.ok ? [] : Object.keys(read.faults))
    setProblem(read.ok ? undefined : { text: t('dashboard.login.incomplete') })
    if (!read.ok) return form.current?.querySelector<HTMLElement>(`[name="${Object.keys(read.faults)[0]}"]`)?.focus()
    setBusy(true)
    try {
      setTicket(await signInOperator(read.value))
    } catch (error) {
      setProblem(signInFailure(error))
    } finally {
      setBusy(false)
    }
  }
  const onInput = () => {
    setProblem(undefined)
    setMissing([])
  }
  const invalid = (name: string) => ({ name, ...(missing.includes(name) ? { 'aria-invalid': true } : {}) })

  if (ticket !== undefined)
    return (
      <SecondStep
        send={(code) => signInWithCode(ticket, code)}
        sendPasskey={signInWithPasskey}
        onBack={() => setTicket(undefined)}
      />
    )
  return (
    <form className="stack stack-wide" ref={form} onSubmit={onSubmit} onInput={onInput} noValidate method="post">
      <div role="alert" className="form-problem">
        {problem && (
          <Notice tone="danger">
            <p>{problem.text}</p>
            {problem.more && <p className="hint">{problem.more}</p>}
          </Notice>
        )}
      </div>
      <Field
        label={t('dashboard.login.username')}
        autoComplete="username"
        autoCapitalize="none"
        {...invalid('username')}
      />
      <PasswordField t={t} label={t('dashboard.login.password')} {...invalid('password')} />
      <SubmitButton label={t('dashboard.login.submit')} busy={busy} ready={ready} />
      <PasskeyButton send={signInWithPasskey} />
      <LinkButton
        label={t('dashboard.login.forgot')}
        variant="quiet"
        wide
        href={localizedPath('/admin/dashboard/reset', locale)}
      />
      <LinkButton label={t('dashboard.login.home')} variant="quiet" wide href={localizedPath('/', locale)} />
    </form>
  )
}
