import { type ReactNode, useId, useState } from 'react'
import { CodeEntry, type FactorEndpoints, PasswordEntry, type TotpSetup as Setup } from '#backend/accounts/contract.ts'
import { call } from '../../api/api.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Dialog } from '../Dialog.tsx'
import { PasswordField } from '../Field.tsx'
import { FormProblem } from '../FormProblem.tsx'
import { useForm } from '../useForm.ts'
import { CodeField } from './CodeField.tsx'
import { FormFoot } from './FormFoot.tsx'
import { useStepUp } from './useStepUp.tsx'

interface TotpSetupProps {
  readonly endpoints: FactorEndpoints
  /** Content in place of the form, for an owner without a password. */
  readonly firstPassword: ReactNode
  readonly onClose: () => void
  /** Called with the recovery codes; empty if the owner has some already. */
  readonly onDone: (codes: readonly string[]) => void
}

/** Sets up an authenticator app: asks for the password, shows the QR code and checks the first code. */
export function TotpSetup({ endpoints, firstPassword, onClose, onDone }: TotpSetupProps) {
  const [setup, setSetup] = useState<Setup>()
  if (firstPassword)
    return (
      <Dialog title={translate()('profile.factors.setUp')} onClose={onClose}>
        {firstPassword}
      </Dialog>
    )
  return setup ? (
    <Scan endpoints={endpoints} setup={setup} onClose={onClose} onDone={onDone} />
  ) : (
    <Password endpoints={endpoints} onClose={onClose} onSetup={setSetup} />
  )
}

type PasswordProps = Pick<TotpSetupProps, 'endpoints' | 'onClose'> & { readonly onSetup: (setup: Setup) => void }

function Password({ endpoints, onClose, onSetup }: PasswordProps) {
  const t = translate()
  const id = useId()
  const { guard, dialog } = useStepUp(endpoints)
  const { form, field, problem, busy, ready } = useForm(PasswordEntry, async (body) =>
    onSetup(await guard(() => call(endpoints.beginTotp, { body }))),
  )
  return (
    <Dialog
      title={t('profile.factors.setUp')}
      onClose={onClose}
      foot={<FormFoot form={id} submit={t('profile.factors.next')} busy={busy} ready={ready} onClose={onClose} />}
    >
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
        <PasswordField t={t} label={t('profile.factors.password')} {...field('password')} />
      </form>
      {dialog}
    </Dialog>
  )
}

type ScanProps = Omit<TotpSetupProps, 'firstPassword'> & { readonly setup: Setup }

function Scan({ endpoints, setup, onClose, onDone }: ScanProps) {
  const t = translate()
  const id = useId()
  const { guard, dialog } = useStepUp(endpoints)
  const { form, field, problem, busy, ready } = useForm(CodeEntry, async (body) =>
    onDone((await guard(() => call(endpoints.confirmTotp, { body }))).recovery_codes),
  )
  const { size, path } = setup.qr
  return (
    <Dialog
      title={t('profile.factors.scanTitle')}
      onClose={onClose}
      foot={<FormFoot form={id} submit={t('profile.factors.turnOn')} busy={busy} ready={ready} onClose={onClose} />}
    >
      <p>{t('profile.factors.scanLead')}</p>
      <svg
        className="factor-qr rounded"
        role="img"
        aria-label={t('profile.factors.qr')}
        viewBox={`-4 -4 ${size + 8} ${size + 8}`}
        shapeRendering="crispEdges"
      >
        <path d={path} />
      </svg>
      <p className="hint">
        {t('profile.factors.manual')} <code className="factor-secret anywhere">{setup.secret}</code>
      </p>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
        <CodeField label={t('profile.factors.code')} inputMode="numeric" {...field('code')} />
      </form>
      {dialog}
    </Dialog>
  )
}
