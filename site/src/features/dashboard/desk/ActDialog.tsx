import { useId, useState } from 'react'
import { type DeskAction, type DeskKind, hasAmount } from '#backend/desk/contract.ts'
import { operatorFactors } from '#backend/operators/contract.ts'
import { codeText, errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { FormFoot } from '../../../ui/factors/FormFoot.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { actForm } from './actForm.ts'
import { order } from './desk.ts'

/** An act that the operator is about to order. `proposed`: cents of a refund. */
export type Act = Readonly<{ kind: DeskKind; subject: string; about: string; currency?: string; proposed?: number }>

/** Asks for the reason and the amount of an act, and orders it after a step-up where the operator has a second factor. */
export function ActDialog({ act, onClose }: { act: Act; onClose: (result?: string) => void }) {
  const t = translate()
  const id = useId()
  const { kind, subject, about, currency, proposed } = act
  // The same for repeated attempts, so that they are one action.
  const [actionId] = useState(() => crypto.randomUUID())
  const [outcome, setOutcome] = useState<DeskAction>()
  const { guard, dialog } = useStepUp(operatorFactors)
  const { form, field, problem, busy, ready } = useForm(actForm(kind, subject, actionId), async (body) => {
    const action = await guard(() => order(body))
    if (action.status === 'failed' || action.status === 'refused') setOutcome(action)
    else onClose(t(`dashboard.desk.status.${action.status}`, { act: t(`dashboard.desk.acts.${kind}`) }))
  })
  const name = t(`dashboard.desk.acts.${kind}`)
  const failed = outcome && t('dashboard.desk.failed', { why: codeText(outcome.why ?? 'unknown') })
  const foot = <FormFoot form={id} submit={name} busy={busy} ready={ready && !outcome} onClose={() => onClose()} />
  return (
    <Dialog title={`${name}: ${about}`} busy={busy} onClose={() => onClose()} foot={foot}>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={failed ?? (problem === undefined ? undefined : errorText(problem))} />
        <p>{t(`dashboard.desk.effects.${kind}`)}</p>
        {hasAmount(kind) && (
          <Field
            label={currency ? t('dashboard.desk.amountIn', { currency }) : t('dashboard.desk.credits')}
            inputMode={currency ? 'decimal' : 'numeric'}
            autoComplete="off"
            defaultValue={proposed === undefined ? '' : (proposed / 100).toFixed(2)}
            {...(proposed !== undefined && { hint: t('dashboard.desk.proposed') })}
            {...field('amount')}
          />
        )}
        {kind === 'change_address' && (
          <Field label={t('dashboard.desk.address')} type="email" autoComplete="off" {...field('address')} />
        )}
        <Field
          label={t('dashboard.desk.reason')}
          hint={t('dashboard.desk.reasonHint')}
          autoComplete="off"
          maxLength={200}
          {...field('reason')}
        />
      </form>
      {dialog}
    </Dialog>
  )
}
