import { useStore } from '@nanostores/react'
import { useId, useState } from 'react'
import * as z from 'zod/mini'
import { type Identity, userFactors } from '#backend/accounts/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { FormFoot } from '../../ui/factors/FormFoot.tsx'
import { useStepUp } from '../../ui/factors/useStepUp.tsx'
import { keepFocus } from '../../ui/lists/keepFocus.ts'
import { ProviderMark } from '../../ui/ProviderMark.tsx'
import { RetryNotice } from '../../ui/RetryNotice.tsx'
import { showToast } from '../../ui/toasts/toasts.ts'
import { useBusy } from '../../ui/useBusy.ts'
import { useForm } from '../../ui/useForm.ts'
import { PasswordKnown } from './PasswordSetting.tsx'
import { $hasPassword } from './profile.ts'
import { securityLog } from './securityLog.ts'
import { $signIns, connect, disconnect, loadSignIns } from './signIns.ts'

/** Lists the sign-ins of other services, and connects the account to them. Hidden where there are none. */
export function SignIns() {
  const t = translate()
  const signIns = useStore($signIns)
  const [connecting, setConnecting] = useState<Identity>()
  if (signIns !== 'failed' && !signIns?.length) return null
  return (
    <div className="stack stack-wide card profile-card" id="sign-ins">
      <h3>{t('profile.signIns.heading')}</h3>
      <p className="muted">{t('profile.signIns.lead')}</p>
      {signIns === 'failed' ? (
        <RetryNotice tone="danger" text={t('profile.signIns.failed')} onRetry={loadSignIns} />
      ) : (
        <ul ref={keepFocus}>
          {signIns.map((each) => (
            <SignIn key={each.id} shown={each} onConnect={() => setConnecting(each)} />
          ))}
        </ul>
      )}
      {connecting && <Question asked={connecting} onClose={() => setConnecting(undefined)} />}
    </div>
  )
}

function SignIn({ shown, onConnect }: { shown: Identity; onConnect: () => void }) {
  const t = translate()
  const { name, email, connected_at } = shown
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(userFactors)
  const state = connected_at === null ? 'none' : email === null ? 'on' : 'as'
  const leave = () =>
    guard(() => disconnect(shown)).then(
      () => {
        showToast('success', t('profile.signIns.disconnected', { name }))
        void securityLog.open(1)
      },
      (error) => showToast('danger', errorText(error, t('profile.failed'))),
    )
  const action = connected_at === null ? 'connect' : 'disconnect'
  return (
    <li className="line spread factor-passkey">
      <span className="anywhere">
        <ProviderMark {...shown} /> {name}
        <span className="hint"> {t(`profile.signIns.${state}`, { email: email ?? '' })}</span>
      </span>
      <Button
        label={t(`profile.signIns.${action}`)}
        aria-label={t(`profile.signIns.${action}Of`, { name })}
        variant={connected_at === null ? 'outline' : 'quiet'}
        busy={busy}
        onClick={() => (connected_at === null ? onConnect() : run(leave))}
      />
      {dialog}
    </li>
  )
}

const WithPassword = z.object({ password: z.string().check(z.minLength(1, 'required')) })
const WithoutPassword = z.object({ password: z.optional(z.string()) })

/** Asks for the password of an account that has one, and continues at the provider. */
function Question({ asked, onClose }: { asked: Identity; onClose: () => void }) {
  const t = translate()
  const id = useId()
  const { name } = asked
  const hasPassword = useStore($hasPassword) === true
  const { guard, dialog } = useStepUp(userFactors)
  const schema = hasPassword ? WithPassword : WithoutPassword
  const { form, field, problem, busy, ready } = useForm(schema, ({ password }) =>
    guard(() => connect(asked, hasPassword ? password : undefined)),
  )
  const submit = t('profile.signIns.go', { name })
  const foot = <FormFoot form={id} submit={submit} busy={busy} ready={ready} onClose={onClose} />
  return (
    <Dialog title={t('profile.signIns.connectOf', { name })} busy={busy} onClose={onClose} foot={foot}>
      <p>{t('profile.signIns.connectText', { name })}</p>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem, t('profile.failed'))} />
        <PasswordKnown>
          {(has) => has && <PasswordField t={t} label={t('profile.factors.password')} {...field('password')} />}
        </PasswordKnown>
      </form>
      {dialog}
    </Dialog>
  )
}
