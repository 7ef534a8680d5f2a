import { type ReactNode, useCallback, useEffect, useState } from 'react'
import type { FactorEndpoints, Factors as State } from '#backend/accounts/contract.ts'
import { call } from '../../api/api.ts'
import { errorText } from '../../api/errorText.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../Button.tsx'
import { RetryNotice } from '../RetryNotice.tsx'
import { showToast } from '../toasts/toasts.ts'
import { useBusy } from '../useBusy.ts'
import { Passkeys } from './Passkeys.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { TotpSetup } from './TotpSetup.tsx'
import { useStepUp } from './useStepUp.tsx'

interface FactorsProps {
  readonly endpoints: FactorEndpoints
  /** Content in place of the forms that ask for the password, for an owner without one. */
  readonly firstPassword?: ReactNode
  /** Called after a factor was added or removed. */
  readonly onChange?: () => void
  /** Called when the state was read. */
  readonly onState?: (state: State) => void
}

/** Shows and manages the second factors of the user or the operator. */
export function Factors({ endpoints, firstPassword, onChange, onState }: FactorsProps) {
  const t = translate()
  const [state, setState] = useState<State | 'failed'>()
  const [codes, setCodes] = useState<readonly string[]>([])
  const load = useCallback(async () => {
    await call(endpoints.list).then(setState, () => setState('failed'))
  }, [endpoints])
  useEffect(() => void load(), [load])
  // biome-ignore lint/correctness/useExhaustiveDependencies: callers pass a new function on every render.
  useEffect(() => {
    if (state && state !== 'failed') onState?.(state)
  }, [state])
  const changed = async () => {
    await load()
    onChange?.()
  }
  return (
    <>
      {state === undefined && <div className="skeleton factor-skeleton" aria-busy="true" />}
      {state === 'failed' && <RetryNotice tone="danger" text={t('profile.factors.failed')} onRetry={load} />}
      {state && state !== 'failed' && (
        <Methods
          endpoints={endpoints}
          firstPassword={firstPassword}
          state={state}
          onCodes={setCodes}
          onChange={changed}
        />
      )}
      {/* The server shows the codes once. They stay if the methods cannot be read again. */}
      {codes.length > 0 && <RecoveryCodes codes={codes} onClose={() => setCodes([])} />}
    </>
  )
}

interface MethodsProps {
  readonly endpoints: FactorEndpoints
  readonly firstPassword: ReactNode
  readonly state: State
  readonly onCodes: (codes: readonly string[]) => void
  readonly onChange: () => Promise<void>
}

function Methods({ endpoints, firstPassword, state, onCodes, onChange }: MethodsProps) {
  const t = translate()
  const { guard, dialog } = useStepUp(endpoints)
  const [adding, setAdding] = useState(false)
  const [busy, run] = useBusy()
  /** Runs an action after a step-up, and reports its failure. */
  const attempt = (action: () => Promise<unknown>) =>
    run(async () => {
      await guard(action).catch((error) => showToast('danger', errorText(error)))
      await onChange()
    })
  const remove = () =>
    attempt(async () => {
      await call(endpoints.removeTotp)
      showToast('success', t('profile.factors.turnedOff'))
    })
  const renew = () => attempt(async () => onCodes((await call(endpoints.renewCodes)).recovery_codes))
  const onDone = (made: readonly string[]) => {
    setAdding(false)
    onCodes(made)
    showToast('success', t('profile.factors.turnedOn'))
    void onChange()
  }
  return (
    <>
      <AppState isOn={state.totp} />
      <div className="row row-wide">
        {state.totp ? (
          <Button variant="outline" busy={busy} onClick={remove}>
            {t('profile.factors.turnOff')}
          </Button>
        ) : (
          <Button label={t('profile.factors.setUp')} variant="outline" onClick={() => setAdding(true)} />
        )}
      </div>
      <Passkeys
        endpoints={endpoints}
        firstPassword={firstPassword}
        passkeys={state.passkeys}
        busy={busy}
        onRemove={({ id }) => attempt(() => call(endpoints.removePasskey, { params: { passkey: id } }))}
        onAdded={onDone}
      />
      {(state.totp || state.passkeys.length > 0) && (
        <div className="line spread factor">
          <span>{t('profile.factors.left', { count: state.recovery_codes })}</span>
          <Button variant="quiet" busy={busy} onClick={renew}>
            {t('profile.factors.renew')}
          </Button>
        </div>
      )}
      {adding && (
        <TotpSetup
          endpoints={endpoints}
          firstPassword={firstPassword}
          onClose={() => setAdding(false)}
          onDone={onDone}
        />
      )}
      {dialog}
    </>
  )
}

function AppState({ isOn }: { isOn: boolean }) {
  const t = translate()
  return (
    <div className="line spread factor">
      <div>
        <strong>{t('profile.factors.app')}</strong>
        <p className="hint">{t('profile.factors.appLead')}</p>
      </div>
      <span className="badge" {...(isOn ? { 'data-tone': 'success' } : {})}>
        {t(isOn ? 'profile.factors.on' : 'profile.factors.off')}
      </span>
    </div>
  )
}
