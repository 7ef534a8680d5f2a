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

/** Returns the token of a mailed link. Those of earlier versions have it in the query. */
export const mailedToken = (): string =>
  new URLSearchParams(globalThis.location?.hash.slice(1) || globalThis.location?.search).get('token') ?? ''

/**
 * Chooses the password of an operator with a mailed token. Leads to the board, where a second factor is set up, or to the sign-in if
 * there is one.
 */
export function AcceptInvitation({ locale }: { locale: Locale }) {
  const t = translate(locale)
  const [token] = useState(mailedToken)
  const { form, field, problem, busy, ready } = useForm(Acceptance, async ({ password }) => {
    const { signed_in: isIn } = await accept(token, password)
    await leaveFor(localHref(isIn ? '/admin/dashboard' : '/admin/dashboard/login'))
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
