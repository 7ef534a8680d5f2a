import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type Control, changeControl, FIGURES, readControl } from '#backend/installation/contract.ts'
import { operatorFactors } from '#backend/operators/contract.ts'
import { call } from '../../../api/api.ts'
import { errorText } from '../../../api/errorText.ts'
import { pageLocale, textAt, translate } from '../../../i18n/client.ts'
import { Button } from '../../../ui/Button.tsx'
import { Fault, Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { useForm } from '../../../ui/useForm.ts'
import { ScrolledList } from '../desk/ScrolledList.tsx'
import { useMay } from '../May.tsx'
import { Time } from '../Time.tsx'
import { controlForm } from './controlForm.ts'

/** The settings that operators change without a rebuild. */
export function ControlPage() {
  const t = translate()
  const heading = useRef<HTMLHeadingElement>(null)
  const [control, setControl] = useState<Control>()
  const [failed, setFailed] = useState(false)
  const [saved, setSaved] = useState('')
  useEffect(() => {
    heading.current?.focus()
    call(readControl).then(setControl, () => setFailed(true))
  }, [])
  return (
    <div className="stack desk-person">
      <div className="row spread">
        <h2 ref={heading} tabIndex={-1}>
          {t('dashboard.control.heading')}
        </h2>
        <span className="hint" role="status">
          {saved}
        </span>
      </div>
      <p className="muted">{t('dashboard.control.lead')}</p>
      {failed && <Notice tone="danger">{t('dashboard.control.unread')}</Notice>}
      {!control && !failed && <div className="skeleton board-skeleton" />}
      {control && (
        <Form
          key={JSON.stringify(control.settings)}
          control={control}
          onSaved={(next) => {
            setControl(next)
            setSaved(t('dashboard.control.saved'))
          }}
        />
      )}
    </div>
  )
}

interface FormProps {
  readonly control: Control
  readonly onSaved: (control: Control) => void
}

function Form({ control, onSaved }: FormProps) {
  const t = translate()
  const { settings } = control
  const may = useMay(changeControl)
  const { guard, dialog } = useStepUp(operatorFactors)
  const [unchanged, setUnchanged] = useState(false)
  const { form, field, problem, busy, ready } = useForm(controlForm(settings), async (body) => {
    setUnchanged(Object.keys(body.changes).length === 0)
    if (Object.keys(body.changes).length > 0) onSaved(await guard(() => call(changeControl, { body })))
  })
  const text = (name: string, label: string, value: string | number | undefined, hint?: string) => (
    <Field
      key={name}
      label={label}
      autoComplete="off"
      defaultValue={value ?? ''}
      {...(hint !== undefined && { hint })}
      {...field(`changes.${name}`)}
    />
  )
  return (
    <form className="stack" {...form}>
      <fieldset disabled={!may}>
        <div className="desk-grid">
          <Pauses control={control} />
          <Group title={t('dashboard.control.banner')} hint={t('dashboard.control.bannerHint')}>
            {text('banner.en', t('dashboard.control.bannerEn'), settings.banner?.en)}
            {text('banner.zh', t('dashboard.control.bannerZh'), settings.banner?.zh)}
          </Group>
          <Group title={t('dashboard.control.limits')}>
            {text(
              'open_tasks',
              t('dashboard.control.openTasks'),
              settings.open_tasks ?? undefined,
              t('dashboard.control.openTasksHint'),
            )}
          </Group>
          <Group title={t('dashboard.control.figures')} hint={t('dashboard.control.figuresHint')}>
            <div className="board-graph-fields">
              {FIGURES.map((name) => text(`figures.${name}`, t(`dashboard.control.${name}`), settings.figures?.[name]))}
            </div>
          </Group>
          <Words value={settings.blocked_words} field={field('changes.blocked_words')} />
          <Latest changes={control.changes} />
        </div>
      </fieldset>
      {may && (
        <div className="card stack desk-part">
          <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
          <Field
            label={t('dashboard.control.reason')}
            hint={t('dashboard.control.reasonHint')}
            autoComplete="off"
            maxLength={200}
            {...field('reason')}
          />
          <p className="row">
            <Button type="submit" variant="primary" busy={busy} disabled={!ready} label={t('dashboard.control.save')} />
            <span role="status">{unchanged && t('dashboard.control.nothing')}</span>
          </p>
        </div>
      )}
      {dialog}
    </form>
  )
}

/** What can be paused. */
function Pauses({ control: { settings, models, tills } }: { control: Control }) {
  const t = translate()
  const locale = pageLocale()
  return (
    <>
      <Group title={t('dashboard.control.pauses')}>
        <Box
          name="generation"
          label={t('dashboard.control.generation')}
          hint={t('dashboard.control.generationHint')}
          on={settings.generation_paused}
        />
        <Box
          name="registration"
          label={t('dashboard.control.registration')}
          hint={t('dashboard.control.registrationHint')}
          on={settings.registration_paused}
        />
      </Group>
      <Group title={t('dashboard.control.models')} hint={t('dashboard.control.modelsHint')}>
        {models.map(({ id, names }) => (
          <Box key={id} name={`model ${id}`} label={names[locale]} on={settings.paused_models.includes(id)} />
        ))}
      </Group>
      {tills.length > 0 && (
        <Group title={t('dashboard.control.tills')} hint={t('dashboard.control.tillsHint')}>
          {tills.map((till) => (
            <Box
              key={till}
              name={`till ${till}`}
              label={textAt(`dashboard.money.tills.${till}`) ?? till}
              on={settings.paused_tills.includes(till)}
            />
          ))}
        </Group>
      )}
    </>
  )
}

function Group({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="stack card desk-part" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {hint && <p className="hint">{hint}</p>}
      {children}
    </section>
  )
}

function Box({ name, label, hint, on }: { name: string; label: string; hint?: string; on: boolean }) {
  return (
    <label className="line touch">
      <input type="checkbox" name={name} defaultChecked={on} />
      <span>
        {label} {hint && <small className="hint">{hint}</small>}
      </span>
    </label>
  )
}

interface WordsProps {
  readonly value: readonly string[]
  readonly field: { readonly name: string; readonly fault: string | undefined; readonly onInput: () => void }
}

function Words({ value, field: { name, fault, onInput } }: WordsProps) {
  const t = translate()
  const id = useId()
  return (
    <section className="stack card desk-part">
      <h3>
        <label htmlFor={id}>{t('dashboard.control.words')}</label>
      </h3>
      <p className="hint" id={`${id}-hint`}>
        {t('dashboard.control.wordsHint')}
      </p>
      <textarea
        className="input"
        id={id}
        name={name}
        rows={5}
        defaultValue={value.join('\n')}
        aria-describedby={fault ? `${id}-fault` : `${id}-hint`}
        aria-invalid={fault ? true : undefined}
        onInput={onInput}
      />
      {fault && <Fault id={`${id}-fault`} text={fault} />}
    </section>
  )
}

function Latest({ changes }: { changes: Control['changes'] }) {
  const t = translate()
  return (
    <section className="stack card desk-part">
      <h3>{t('dashboard.control.latest')}</h3>
      {changes.length === 0 && <p className="hint">{t('dashboard.control.none')}</p>}
      <ScrolledList>
        {changes.map(({ at, operator, reason, changes }) => (
          <li key={at}>
            <Time iso={at} /> <span className="anywhere">{`${operator}: ${reason}`}</span>{' '}
            <code className="hint anywhere">{Object.keys(changes).join(', ')}</code>
          </li>
        ))}
      </ScrolledList>
    </section>
  )
}
