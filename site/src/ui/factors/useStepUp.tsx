import { type ReactNode, useId, useState } from 'react'
import { CodeEntry, type FactorEndpoints } from '#backend/accounts/contract.ts'
import { call } from '../../api/api.ts'
import { ApiError } from '../../api/apiError.ts'
import { errorText } from '../../api/errorText.ts'
import { provePasskey } from '../../api/factors/passkeys.ts'
import { translate } from '../../i18n/client.ts'
import { Dialog } from '../Dialog.tsx'
import { FormProblem } from '../FormProblem.tsx'
import { useForm } from '../useForm.ts'
import { CodeField } from './CodeField.tsx'
import { FormFoot } from './FormFoot.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'

interface StepUp {
  /** Runs an action. If the server requires a step-up, asks for a code and runs the action again. */
  readonly guard: <T>(action: () => Promise<T>) => Promise<T>
  /** The dialog that asks for the code, while it is open. */
  readonly dialog: ReactNode
}

/** Repeats sensitive actions after the second factor was proved again. A cancelled dialog rejects with the refusal. */
export function useStepUp(endpoints: FactorEndpoints): StepUp {
  const [close, setClose] = useState<{ readonly with: (proved: boolean) => void }>()
  const ask = async () => {
    const proved = await new Promise<boolean>((resolve) => setClose({ with: resolve }))
    setClose(undefined)
    return proved
  }
  const guard: StepUp['guard'] = async (action) => {
    try {
      return await action()
    } catch (error) {
      const isRefused = error instanceof ApiError && error.code === 'step_up_required'
      if (!isRefused || !(await ask())) throw error
      return action()
    }
  }
  return { guard, dialog: close && <Question endpoints={endpoints} onClose={close.with} /> }
}

function Question({ endpoints, onClose }: { endpoints: FactorEndpoints; onClose: (proved: boolean) => void }) {
  const t = translate()
  const id = useId()
  const { form, field, problem, busy, ready } = useForm(CodeEntry, async (body) => {
    await call(endpoints.stepUp, { body })
    onClose(true)
  })
  const prove = async () => {
    await call(endpoints.stepUpByPasskey, { body: { credential: await provePasskey(endpoints) } })
    onClose(true)
  }
  const foot = (
    <FormFoot form={id} submit={t('auth.second.submit')} busy={busy} ready={ready} onClose={() => onClose(false)} />
  )
  return (
    <Dialog title={t('profile.factors.stepUpTitle')} onClose={() => onClose(false)} foot={foot}>
      <p>{t('profile.factors.stepUpLead')}</p>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
        <CodeField label={t('auth.second.code')} {...field('code')} />
      </form>
      <PasskeyButton send={prove} />
    </Dialog>
  )
}
