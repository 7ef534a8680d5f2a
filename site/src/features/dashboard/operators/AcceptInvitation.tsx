import { useState } from 'react'
import { Acceptance } from '#backend/operators/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { leaveFor } from '../../../api/pages/leaveFor.ts'
import { localHref, translate } from '../../../i18n/client.ts'
import type { Locale } from '../../../i18n/core.ts'
import { SubmitButton } from '../../../ui/Button.tsx'
import { PasswordField } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { accept } from './operators.ts'

/** Chooses the password of an invited operator, and leads to the board, where a second factor is set up. */
export function AcceptInvitation({ locale }: { locale: Locale }) {
  const t = translate(locale)
  const [token] = useState(() => new URLSearchParams(globalThis.location?.search).get('token') ?? '')
  const { form, field, problem, busy, ready } = useForm(Acceptance, async ({ password }) => {
    await accept(token, password)
    await leaveFor(localHref('/admin/dashboard'))
  })
  return (
    <form className="stack stack-wide" {...form}>
      <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
      <input type="hidden" name="token" value={token} />
      <PasswordField
        t={t}
        label={t('dashboard.invitation.password')}
        autoComplete="new-password"
        {...field('password')}
      />
      <SubmitButton label={t('dashboard.invitation.submit')} busy={busy} ready={ready} />
    </form>
  )
}
