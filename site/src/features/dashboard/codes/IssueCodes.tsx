import { useId, useState } from 'react'
import { operatorFactors } from '#backend/operators/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { translate } from '../../../i18n/client.ts'
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
import { useTextFile } from '../../../ui/useTextFile.ts'
import { issue } from '../board.ts'
import { CodeForm } from './codeForm.ts'

/** Issues codes and, where the operator has a second factor, asks for it. Shows them once. */
export function IssueCodes({ onClose }: { onClose: () => void }) {
  const t = translate()
  const id = useId()
  const [issued, setIssued] = useState<readonly string[]>()
  const { guard, dialog } = useStepUp(operatorFactors)
  const { form, field, problem, busy, ready } = useForm(CodeForm, async (order) =>
    setIssued(await guard(() => issue(order))),
  )
  if (issued) return <IssuedCodes codes={issued} onClose={onClose} />
  const foot = <FormFoot form={id} submit={t('dashboard.codes.issue')} busy={busy} ready={ready} onClose={onClose} />
  const number = (name: 'count' | 'credits' | 'uses' | 'expires_in_days', value: string) => (
    <Field
      label={t(`dashboard.codes.form.${name}`)}
      inputMode="numeric"
      autoComplete="off"
      defaultValue={value}
      {...field(name)}
    />
  )
  return (
    <Dialog title={t('dashboard.codes.issue')} size={600} busy={busy} onClose={onClose} foot={foot}>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
        <Field
          label={t('dashboard.codes.form.label')}
          hint={t('dashboard.codes.form.labelHint')}
          autoComplete="off"
          {...field('label')}
        />
        <div className="board-graph-fields">
          {number('credits', '')}
          {number('count', '1')}
          {number('uses', '1')}
          {number('expires_in_days', '')}
        </div>
        <p className="hint">{t('dashboard.codes.form.hint')}</p>
        <Audience />
      </form>
      {dialog}
    </Dialog>
  )
}

function Audience() {
  const t = translate()
  const [audience, setAudience] = useState<'all' | 'new'>('all')
  const options = (['all', 'new'] as const).map((value) => ({ value, label: t(`dashboard.codes.audience.${value}`) }))
  return (
    <>
      <Choices label={t('dashboard.codes.form.audience')} value={audience} options={options} onChange={setAudience} />
      <input type="hidden" name="audience" value={audience} />
    </>
  )
}

/** Shows new codes, which cannot be shown again. */
export function IssuedCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = translate()
  const id = useId()
  const file = useTextFile(['code', ...codes, ''].join('\r\n'), 'text/csv')
  const foot = (
    <>
      <a className="button button-outline" href={file} download="kinora-codes.csv">
        {t('dashboard.csv')}
      </a>
      <Button label={t('dashboard.codes.saved')} variant="primary" onClick={onClose} />
    </>
  )
  return (
    <KeptDialog title={t('dashboard.codes.issued', { count: codes.length })} size={600} foot={foot}>
      <Notice tone="warning">{t('dashboard.codes.once')}</Notice>
      <div className="stack field">
        <label htmlFor={id}>{t('dashboard.codes.list')}</label>
        <textarea
          className="input board-codes-list"
          id={id}
          readOnly
          rows={Math.min(codes.length, 8)}
          value={codes.join('\n')}
          onFocus={({ target }) => target.select()}
        />
      </div>
    </KeptDialog>
  )
}
