import { useStore } from '@nanostores/react'
import { useEffect, useId, useState } from 'react'
import { userFactors } from '#backend/accounts/contract.ts'
import { EXPIRES_IN_DAYS } from '#backend/apiKeys/contract.ts'
import { SCOPES } from '#backend/kernel/http/contract.ts'
import { $models } from '../../../api/models.ts'
import { $teams, knownTeams } from '../../../api/teams.ts'
import { pageLocale, translate } from '../../../i18n/client.ts'
import { Choices } from '../../../ui/Choices.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Fault, Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { FormFoot } from '../../../ui/factors/FormFoot.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { Box, Boxes } from './Boxes.tsx'
import { KeyProof, proofText } from './KeyProof.tsx'
import { boxOf, KeyForm } from './keyForm.ts'
import { type MadeKey, makeKey } from './keys.ts'

/** Scopes that are chosen at first. */
const USUAL: readonly string[] = ['videos:write', 'videos:read']

/** Makes a key after the user confirms with the password or a passkey. */
export function CreateKey({ onClose, onMade }: { onClose: () => void; onMade: (made: MadeKey) => void }) {
  const t = translate()
  const id = useId()
  const { guard, dialog } = useStepUp(userFactors)
  const { form, field, problem, busy, ready } = useForm(KeyForm, async (order) =>
    onMade(await guard(() => makeKey(order))),
  )
  const scopes = field('scopes')
  const foot = <FormFoot form={id} submit={t('keys.form.submit')} busy={busy} ready={ready} onClose={onClose} />
  return (
    <Dialog title={t('keys.form.title')} size={600} busy={busy} onClose={onClose} foot={foot}>
      <form className="stack stack-wide" id={id} {...form}>
        <FormProblem text={proofText(problem)} />
        <Notice tone="warning">{t('keys.form.spends')}</Notice>
        <Field label={t('keys.form.name')} hint={t('keys.form.nameHint')} autoComplete="off" {...field('name')} />
        <Payer />
        <Boxes
          label={t('keys.form.scopes')}
          fault={scopes.fault && t('keys.form.scopesRequired')}
          onInput={scopes.onInput}
        >
          {SCOPES.map((scope) => (
            <Box
              key={scope}
              name={boxOf('scopes', scope)}
              label={t(`keys.scope.${scope}`)}
              note={scope}
              isInvalid={scopes.fault !== undefined}
              isChosen={USUAL.includes(scope)}
            />
          ))}
        </Boxes>
        <div className="stack">
          <div className="key-limits">
            <Credits label={t('keys.form.perDay')} {...field('credits_per_day')} />
            <Credits label={t('keys.form.perMonth')} {...field('credits_per_month')} />
          </div>
          <p className="hint">{t('keys.form.limitsHint')}</p>
        </div>
        <More networks={field('networks')} />
        <Expiry />
        <KeyProof {...field('password')} />
      </form>
      {dialog}
    </Dialog>
  )
}

type FieldProps = ReturnType<ReturnType<typeof useForm>['field']>

const Credits = (field: FieldProps & { label: string }) => (
  <Field inputMode="numeric" autoComplete="off" placeholder={translate()('keys.form.noLimit')} {...field} />
)

/** Chooses who pays for what the key orders, for people in a team. */
function Payer() {
  const t = translate()
  const teams = knownTeams(useStore($teams))
  const [payer, setPayer] = useState('')
  if (teams.length === 0) return null
  return (
    <div className="stack">
      <Choices
        label={t('keys.form.payer')}
        value={payer}
        options={[
          { value: '', label: t('keys.form.me') },
          ...teams.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={setPayer}
      />
      {payer && <p className="hint">{t('keys.form.payerHint')}</p>}
      <input type="hidden" name="team_id" value={payer} />
    </div>
  )
}

function Expiry() {
  const t = translate()
  const [days, setDays] = useState<number | ''>(EXPIRES_IN_DAYS)
  const options = [
    { value: 30, label: t('keys.form.days', { days: 30 }) },
    { value: 90, label: t('keys.form.days', { days: 90 }) },
    { value: 365, label: t('keys.form.year') },
    { value: '' as const, label: t('keys.form.never') },
  ]
  return (
    <>
      <Choices label={t('keys.form.expiry')} value={days} options={options} onChange={setDays} />
      <input type="hidden" name="expires_in_days" value={days} />
    </>
  )
}

/** Limits that few keys need. They show themselves when one is wrong. */
function More({ networks: { fault, ...networks } }: { networks: FieldProps }) {
  const t = translate()
  const id = useId()
  const models = useStore($models)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    if (fault) setOpen(true)
  }, [fault])
  return (
    <details className="key-more" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('keys.form.more')}</summary>
      <div className="stack stack-wide">
        <Boxes label={t('keys.form.models')} hint={t('keys.form.modelsHint')}>
          {models.map((model) => (
            <Box key={model.id} name={boxOf('models', model.id)} label={model.names[pageLocale()]} />
          ))}
        </Boxes>
        <div className="stack field">
          <label htmlFor={id}>{t('keys.form.networks')}</label>
          <textarea
            className="input key-networks"
            id={id}
            spellCheck={false}
            autoCapitalize="none"
            aria-invalid={fault ? true : undefined}
            aria-describedby={`${id}-note`}
            {...networks}
          />
          {fault ? (
            <Fault id={`${id}-note`} text={fault} />
          ) : (
            <p className="hint" id={`${id}-note`}>
              {t('keys.form.networksHint')}
            </p>
          )}
        </div>
      </div>
    </details>
  )
}
