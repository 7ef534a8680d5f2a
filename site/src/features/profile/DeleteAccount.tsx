import { useStore } from '@nanostores/react'
import { useEffect, useId, useState } from 'react'
import * as z from 'zod/mini'
import { userFactors } from '#backend/accounts/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { useStepUp } from '../../ui/factors/useStepUp.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { useForm } from '../../ui/useForm.ts'
import { PasswordKnown } from './PasswordSetting.tsx'
import { $hasPassword, eraseAccount } from './profile.ts'

/** Fields of the confirmation: none for an account without a password. */
const WithPassword = z.object({ password: z.string().check(z.minLength(1, 'required')) })
const WithoutPassword = z.object({ password: z.optional(z.string()) })

/** Deletes the account after the user confirms with the password, a passkey or a mailed link. */
export function DeleteAccount() {
  const t = translate()
  const [asking, setAsking] = useState(false)
  const [token] = useState(() => new URLSearchParams(location.search).get('token'))
  useEffect(() => setAsking(token !== null), [token])
  return (
    <div className="stack stack-wide card profile-card" id="delete-account">
      <h3>{t('profile.delete.heading')}</h3>
      <p className="muted">{t('profile.delete.lead')}</p>
      <div className="row row-wide">
        <Button label={t('profile.delete.open')} variant="outline" icon="trash" onClick={() => setAsking(true)} />
      </div>
      {asking && <Question token={token} onClose={() => setAsking(false)} />}
    </div>
  )
}

function Question({ token, onClose }: { token: string | null; onClose: () => void }) {
  const t = translate()
  const id = useId()
  const hasPassword = useStore($hasPassword)
  const [mailed, setMailed] = useState(false)
  const { guard, dialog } = useStepUp(userFactors)
  const known = typeof hasPassword === 'boolean'
  const schema = hasPassword ? WithPassword : WithoutPassword
  const { form, field, problem, busy, ready } = useForm(schema, async ({ password }) => {
    const proof = hasPassword ? { password } : token ? { token } : {}
    setMailed((await guard(() => eraseAccount(proof))) === 'mailed')
  })
  const foot = (
    <>
      <Button label={t('common.action.cancel')} variant="quiet" disabled={busy} onClick={onClose} />
      <Button
        type="submit"
        form={id}
        variant="danger"
        busy={busy}
        disabled={!ready || !known}
        // Keeps the focus, unlike `disabled`.
        aria-disabled={mailed}
        onClick={(event) => mailed && event.preventDefault()}
      >
        {t('profile.delete.confirm')}
      </Button>
    </>
  )
  return (
    <Dialog title={t('profile.delete.title')} busy={busy} onClose={onClose} foot={foot}>
      <p>{t('profile.delete.warning')}</p>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem, t('profile.failed'))} />
        <PasswordKnown>
          {(has) =>
            has ? (
              <PasswordField t={t} label={t('profile.delete.password')} {...field('password')} />
            ) : (
              !token && <p className="muted">{t('profile.delete.byMail')}</p>
            )
          }
        </PasswordKnown>
        <div className="form-problem" role="status">
          {mailed && <Notice tone="info">{t('profile.delete.mailed')}</Notice>}
        </div>
      </form>
      {dialog}
    </Dialog>
  )
}
