import { useId, useState } from 'react'
import { AccountDeletion, userFactors } from '#backend/accounts/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { useStepUp } from '../../ui/factors/useStepUp.tsx'
import { useForm } from '../../ui/useForm.ts'
import { eraseAccount } from './profile.ts'

/** Deletes the account after the user confirms with the password. */
export function DeleteAccount() {
  const t = translate()
  const [asking, setAsking] = useState(false)
  return (
    <div className="stack stack-wide card profile-card" id="delete-account">
      <h3>{t('profile.delete.heading')}</h3>
      <p className="muted">{t('profile.delete.lead')}</p>
      <div className="row row-wide">
        <Button label={t('profile.delete.open')} variant="outline" icon="trash" onClick={() => setAsking(true)} />
      </div>
      {asking && <Question onClose={() => setAsking(false)} />}
    </div>
  )
}

function Question({ onClose }: { onClose: () => void }) {
  const t = translate()
  const id = useId()
  const { guard, dialog } = useStepUp(userFactors)
  const { form, field, problem, busy, ready } = useForm(AccountDeletion, ({ password }) =>
    guard(() => eraseAccount(password)),
  )
  const foot = (
    <>
      <Button label={t('common.action.cancel')} variant="quiet" onClick={onClose} />
      <Button type="submit" form={id} variant="danger" busy={busy} disabled={!ready}>
        {t('profile.delete.confirm')}
      </Button>
    </>
  )
  return (
    <Dialog title={t('profile.delete.title')} onClose={onClose} foot={foot}>
      <p>{t('profile.delete.warning')}</p>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem, t('profile.failed'))} />
        <PasswordField
          label={t('profile.delete.password')}
          show={t('auth.field.showPassword')}
          hide={t('auth.field.hidePassword')}
          autoComplete="current-password"
          {...field('password')}
        />
      </form>
      {dialog}
    </Dialog>
  )
}
