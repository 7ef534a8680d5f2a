import { type ReactNode, useId, useState } from 'react'
import { type FactorEndpoints, type Factors, type Passkey, PasskeyEntry } from '#backend/accounts/contract.ts'
import { call } from '../../api/api.ts'
import { errorText } from '../../api/errorText.ts'
import { createPasskey, hasPasskeys } from '../../api/factors/passkeys.ts'
import { translate } from '../../i18n/client.ts'
import { dayText } from '../../i18n/dayText.ts'
import { Button } from '../Button.tsx'
import { Dialog } from '../Dialog.tsx'
import { Field, PasswordField } from '../Field.tsx'
import { FormProblem } from '../FormProblem.tsx'
import { keepFocus } from '../lists/keepFocus.ts'
import { useForm } from '../useForm.ts'
import { FormFoot } from './FormFoot.tsx'
import { useStepUp } from './useStepUp.tsx'

interface PasskeysProps {
  readonly endpoints: FactorEndpoints
  /** Content in place of the form, for an owner without a password. */
  readonly firstPassword: ReactNode
  readonly passkeys: Factors['passkeys']
  readonly busy: boolean
  readonly onRemove: (passkey: Passkey) => void
  /** Called with the recovery codes; empty if the owner has some already. */
  readonly onAdded: (codes: readonly string[]) => void
}

/** Lists passkeys, and adds new ones. */
export function Passkeys({ endpoints, firstPassword, passkeys, busy, onRemove, onAdded }: PasskeysProps) {
  const t = translate()
  const [adding, setAdding] = useState(false)
  const isPossible = hasPasskeys()
  const close = () => setAdding(false)
  const onDone = (codes: readonly string[]) => {
    close()
    onAdded(codes)
  }
  return (
    <>
      <div className="factor">
        <strong>{t('profile.factors.passkeys')}</strong>
        <p className="hint">{t(isPossible ? 'profile.factors.passkeysLead' : 'profile.factors.passkeysMissing')}</p>
        {passkeys.length > 0 && (
          <ul ref={keepFocus}>
            {passkeys.map((passkey) => (
              <li className="line spread factor-passkey" key={passkey.id}>
                <span>
                  {passkey.name}
                  <span className="hint"> {t('profile.factors.added', { day: dayText(passkey.created_at) })}</span>
                </span>
                <Button
                  label={t('profile.factors.remove')}
                  aria-label={t('profile.factors.removeOf', { name: passkey.name })}
                  variant="quiet"
                  busy={busy}
                  onClick={() => onRemove(passkey)}
                />
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="row row-wide">
        <Button
          label={t('profile.factors.addPasskey')}
          variant="outline"
          disabled={!isPossible}
          onClick={() => setAdding(true)}
        />
      </div>
      {adding &&
        (firstPassword ? (
          <Dialog title={t('profile.factors.addPasskey')} onClose={close}>
            {firstPassword}
          </Dialog>
        ) : (
          <NewPasskey endpoints={endpoints} onClose={close} onDone={onDone} />
        ))}
    </>
  )
}

interface NewPasskeyProps {
  readonly endpoints: FactorEndpoints
  readonly onClose: () => void
  readonly onDone: (codes: readonly string[]) => void
}

function NewPasskey({ endpoints, onClose, onDone }: NewPasskeyProps) {
  const t = translate()
  const id = useId()
  const { guard, dialog } = useStepUp(endpoints)
  const { form, field, problem, busy, ready } = useForm(PasskeyEntry, async ({ name, password }) => {
    const credential = await guard(() => createPasskey(endpoints, password))
    onDone((await guard(() => call(endpoints.addPasskey, { body: { name, credential } }))).recovery_codes)
  })
  const isKnown = problem instanceof Error && problem.name === 'InvalidStateError'
  const failure = errorText(problem, t(isKnown ? 'profile.factors.passkeyKnown' : 'profile.factors.passkeyFailed'))
  const foot = <FormFoot form={id} submit={t('profile.factors.next')} busy={busy} ready={ready} onClose={onClose} />
  return (
    <Dialog title={t('profile.factors.addPasskey')} onClose={onClose} foot={foot}>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : failure} />
        <Field label={t('profile.factors.passkeyName')} hint={t('profile.factors.passkeyHint')} {...field('name')} />
        <PasswordField t={t} label={t('profile.factors.password')} {...field('password')} />
      </form>
      {dialog}
    </Dialog>
  )
}
