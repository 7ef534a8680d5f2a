import { useStore } from '@nanostores/react'
import { type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { PasswordForm } from '../../api/account.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { NewPasswordField } from '../../ui/passwords/NewPasswordField.tsx'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import { showToast } from '../../ui/toasts/toasts.ts'
import { useBusy } from '../../ui/useBusy.ts'
import { useForm } from '../../ui/useForm.ts'
import { $hasPassword, loadPassword, mailPasswordLink, setPassword } from './profile.ts'

/** Changes the password, then clears the form. */
export function PasswordSetting() {
  const t = translate()
  const [round, setRound] = useState(0)
  const heading = useRef<HTMLHeadingElement>(null)
  const onDone = () => {
    flushSync(() => setRound(round + 1))
    // The field or button that had the focus is gone.
    if (document.activeElement === document.body) heading.current?.focus()
  }
  return (
    <div className="stack stack-wide card profile-card" id="password">
      <h3 ref={heading} tabIndex={-1}>
        {t('profile.password.heading')}
      </h3>
      <PasswordKnown>
        {(hasPassword) =>
          hasPassword ? (
            <>
              <p className="muted">{t('profile.password.lead')}</p>
              <PasswordChange key={round} onDone={onDone} />
            </>
          ) : (
            <FirstPassword />
          )
        }
      </PasswordKnown>
    </div>
  )
}

/** Mails a link that sets the first password: a session alone must not be enough. */
export function FirstPassword() {
  const t = translate()
  const [busy, run] = useBusy()
  const mail = () =>
    mailPasswordLink().then(
      () => showToast('success', t('auth.pending.resent')),
      (error) => showToast('danger', errorText(error, t('profile.failed'))),
    )
  return (
    <>
      <p className="muted">{t('profile.password.none')}</p>
      <div className="row row-wide">
        <Button
          label={t('profile.password.mail')}
          variant="outline"
          icon="mail"
          busy={busy}
          onClick={() => run(mail)}
        />
      </div>
    </>
  )
}

function PasswordChange({ onDone }: { onDone: () => void }) {
  const t = translate()
  const { form, field, problem, busy, ready } = useForm(PasswordForm, async (value) => {
    await setPassword(value)
    showToast('success', t('profile.password.done'))
    onDone()
  })
  return (
    <form className="stack stack-wide" {...form}>
      <FormProblem text={problem === undefined ? undefined : errorText(problem, t('profile.failed'))} />
      <PasswordField t={t} label={t('profile.password.current')} {...field('current_password')} />
      <NewPasswordField t={t} label={t('profile.password.next')} {...field('new_password')} />
      <PasswordField t={t} label={t('profile.password.confirm')} autoComplete="new-password" {...field('confirm')} />
      <div className="row row-wide">
        <Button label={t('profile.password.submit')} type="submit" variant="primary" busy={busy} disabled={!ready} />
      </div>
    </form>
  )
}

/** Shows what depends on whether the account has a password. */
export function PasswordKnown({ children }: { readonly children: (hasPassword: boolean) => ReactNode }) {
  const hasPassword = useStore($hasPassword)
  if (hasPassword === 'failed')
    return <RetryNotice tone="danger" text={translate()('profile.password.failed')} onRetry={loadPassword} />
  if (hasPassword === null) return <div className="skeleton profile-skeleton" aria-busy="true" />
  return children(hasPassword)
}
