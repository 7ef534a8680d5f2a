import { useEffect, useState } from 'react'
import { Forgotten } from '#backend/operators/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { type Locale, localizedPath } from '../../../i18n/core.ts'
import { LinkButton, SubmitButton } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { AcceptInvitation, mailedToken } from './AcceptInvitation.tsx'
import { forgot } from './operators.ts'

/** Mails a link to an operator who forgot the password. Opened with the link, sets a new one. */
export function ResetPassword({ locale }: { locale: Locale }) {
  const t = translate(locale)
  const [isMailed, setMailed] = useState(false)
  useEffect(() => {
    const read = () => setMailed(mailedToken() !== '')
    read()
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  return (
    <>
      <p className="muted auth-lead">{t(isMailed ? 'dashboard.reset.choose' : 'dashboard.reset.lead')}</p>
      {isMailed ? <AcceptInvitation locale={locale} /> : <Ask locale={locale} />}
    </>
  )
}

function Ask({ locale }: { locale: Locale }) {
  const t = translate(locale)
  const [isSent, setSent] = useState(false)
  const { form, field, problem, busy, ready } = useForm(Forgotten, async (body) => {
    await forgot(body)
    setSent(true)
  })
  return (
    <form className="stack stack-wide" {...form}>
      <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
      <Field
        label={t('dashboard.login.username')}
        autoComplete="username"
        autoCapitalize="none"
        hint={t('dashboard.reset.bootstrap')}
        {...field('username')}
      />
      <input type="hidden" name="language" value={locale} />
      <SubmitButton label={t('dashboard.reset.submit')} busy={busy} ready={ready && !isSent} />
      <div role="status">{isSent && <Notice tone="success">{t('dashboard.reset.sent')}</Notice>}</div>
      <LinkButton
        label={t('dashboard.login.heading')}
        variant="quiet"
        wide
        href={localizedPath('/admin/dashboard/login', locale)}
      />
    </form>
  )
}
