import { useId, useState } from 'react'
import { Invitation, operatorFactors } from '#backend/operators/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Choices } from '../../../ui/Choices.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { FormFoot } from '../../../ui/factors/FormFoot.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { KeptDialog } from '../../../ui/KeptDialog.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { invite, type Role } from './operators.ts'

/** Invites an operator. Shows the link if it could not be mailed. */
export function InviteOperator({ onClose }: { onClose: () => void }) {
  const t = translate()
  const id = useId()
  const [role, setRole] = useState<Role>('viewer')
  const [link, setLink] = useState<string>()
  const { guard, dialog } = useStepUp(operatorFactors)
  const { form, field, problem, busy, ready } = useForm(Invitation, async (body) => {
    const left = await guard(() => invite(body))
    if (left === null) onClose()
    else setLink(left)
  })
  const title = t('dashboard.operators.invite')
  if (link !== undefined)
    return (
      <KeptDialog title={title} foot={<Button label={t('common.action.close')} variant="primary" onClick={onClose} />}>
        <Notice tone="warning">{t('dashboard.operators.notMailed')}</Notice>
        <code className="anywhere">{link}</code>
      </KeptDialog>
    )
  const options = (['viewer', 'support', 'owner'] as const).map((value) => ({
    value,
    label: t(`dashboard.operators.roles.${value}`),
    note: t(`dashboard.operators.may.${value}`),
  }))
  const foot = <FormFoot form={id} submit={title} busy={busy} ready={ready} onClose={onClose} />
  return (
    <Dialog title={title} busy={busy} onClose={onClose} foot={foot}>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
        <Field
          label={t('dashboard.operators.name')}
          hint={t('dashboard.operators.nameHint')}
          autoComplete="off"
          autoCapitalize="none"
          {...field('name')}
        />
        <Field label={t('dashboard.desk.email')} type="email" autoComplete="off" {...field('email')} />
        <Choices label={t('dashboard.operators.role')} value={role} options={options} onChange={setRole} wide />
        <input type="hidden" name="role" value={role} />
        <input type="hidden" name="language" value={pageLocale()} />
      </form>
      {dialog}
    </Dialog>
  )
}
