import { useStore } from '@nanostores/react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { type Case, CaseClosing, type CaseHistory, closeCase } from '#backend/cases/contract.ts'
import { askAction } from '#backend/desk/contract.ts'
import { operatorFactors } from '#backend/operators/contract.ts'
import { errorText } from '../../../api/errorText.ts'
import { pageLocale, textAt, translate } from '../../../i18n/client.ts'
import { money } from '../../../i18n/money.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { FormProblem } from '../../../ui/FormProblem.tsx'
import { FormFoot } from '../../../ui/factors/FormFoot.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { useForm } from '../../../ui/useForm.ts'
import { ActDialog } from '../desk/ActDialog.tsx'
import { personHref } from '../desk/desk.ts'
import { Part } from '../desk/Part.tsx'
import { ScrolledList } from '../desk/ScrolledList.tsx'
import { May } from '../May.tsx'
import { own } from '../operators/operators.ts'
import { Time } from '../Time.tsx'
import { $case, assign, close, download, reread } from './cases.ts'

/** A case, with what happened in it and what an operator can do. */
export function CasePage() {
  const t = translate()
  const open = useStore($case)
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = open?.found?.case
  const shownId = shown?.id
  // The page replaces the board, so reading goes on at its heading.
  useEffect(() => {
    if (shownId !== undefined) heading.current?.focus()
  }, [shownId])
  return (
    <div className="stack desk-person">
      <p>
        <a className="link" href="#board">
          {t('dashboard.desk.back')}
        </a>
      </p>
      {open?.error !== undefined && <Notice tone="danger">{errorText(open.error)}</Notice>}
      {!shown && open?.error === undefined && <div className="skeleton board-skeleton" />}
      {shown && open?.found && (
        <>
          <h2 ref={heading} tabIndex={-1}>
            {t(`dashboard.cases.kinds.${shown.kind}`)}
          </h2>
          <div className="desk-grid">
            <Facts shown={shown} />
            <History lines={open.found.history} />
          </div>
        </>
      )}
    </div>
  )
}

function Facts({ shown }: { shown: Case }) {
  const t = translate()
  const me = useStore(own.$section).data
  const { id, kind, subject, user_id, sale_id, amount, currency, detail, due_at, owner, outcome, note } = shown
  const facts: (readonly [string, ReactNode] | false)[] = [
    [
      t('dashboard.cases.subject'),
      <code key="subject" className="anywhere">
        {subject}
      </code>,
    ],
    sale_id !== null && [
      t('dashboard.desk.payment'),
      <code key="sale" className="anywhere">
        {sale_id}
      </code>,
    ],
    user_id !== null && [
      t('dashboard.desk.results.person'),
      <a key="person" className="anywhere" href={personHref(user_id)}>
        {user_id}
      </a>,
    ],
    amount !== null && [t('dashboard.desk.amount'), money(amount, currency ?? 'USD', pageLocale())],
    detail !== null && [t('dashboard.cases.detail'), textAt(`dashboard.cases.reasons.${detail}`) ?? detail],
    due_at !== null && [t('dashboard.cases.due'), <Time key="due" iso={due_at} />],
    [t('dashboard.cases.owner'), owner ?? t('dashboard.cases.nobody')],
    outcome !== null && [
      t('dashboard.cases.outcome'),
      `${t(`dashboard.cases.outcomes.${outcome}`)}${note ? `: ${note}` : ''}`,
    ],
  ]
  return (
    <Part title={t('dashboard.cases.about')}>
      <dl className="desk-facts">
        {facts
          .filter((fact) => fact !== false)
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <CaseActs
        id={id}
        isOpen={outcome === null}
        isMine={owner !== null && owner === me?.name}
        hasDossier={sale_id !== null && user_id !== null}
      />
      {kind === 'report' && outcome === null && (
        <May call={askAction}>
          <TakeDown caseId={id} film={subject} />
        </May>
      )}
    </Part>
  )
}

/** Removes the public page of a reported film, which ends the case. */
function TakeDown({ caseId, film }: { caseId: string; film: string }) {
  const t = translate()
  const [asking, setAsking] = useState(false)
  return (
    <div className="row desk-acts">
      <Button variant="danger" label={t('dashboard.desk.acts.take_down')} onClick={() => setAsking(true)} />
      {asking && (
        <ActDialog
          act={{ kind: 'take_down', subject: film, about: film }}
          onClose={() => {
            setAsking(false)
            void reread(caseId)
          }}
        />
      )}
    </div>
  )
}

function CaseActs({
  id,
  isOpen,
  isMine,
  hasDossier,
}: {
  id: string
  isOpen: boolean
  isMine: boolean
  hasDossier: boolean
}) {
  const t = translate()
  const [closing, setClosing] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(operatorFactors)
  const attempt = (work: () => Promise<void>) => () =>
    run(async () => {
      setProblem(undefined)
      await work().catch((error: unknown) => setProblem(errorText(error)))
    })
  return (
    <>
      <div className="row desk-acts">
        {isOpen && (
          <May call={closeCase}>
            <Button
              variant="outline"
              busy={busy}
              label={t(isMine ? 'dashboard.cases.giveBack' : 'dashboard.cases.take')}
              onClick={attempt(() => assign(id, !isMine))}
            />
            <Button variant="primary" label={t('dashboard.cases.close')} onClick={() => setClosing(true)} />
          </May>
        )}
        {hasDossier && (
          <Button
            variant="outline"
            icon="download"
            busy={busy}
            label={t('dashboard.cases.dossier')}
            onClick={attempt(() => guard(() => download(id)))}
          />
        )}
      </div>
      <div role="alert">{problem && <p className="fault">{problem}</p>}</div>
      {closing && <CloseDialog id={id} onClose={() => setClosing(false)} />}
      {dialog}
    </>
  )
}

function CloseDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const t = translate()
  const formId = useId()
  const { guard, dialog } = useStepUp(operatorFactors)
  const { form, field, problem, busy, ready } = useForm(CaseClosing, async (body) => {
    await guard(() => close(id, body))
    onClose()
  })
  const foot = (
    <FormFoot form={formId} submit={t('dashboard.cases.close')} busy={busy} ready={ready} onClose={onClose} />
  )
  return (
    <Dialog title={t('dashboard.cases.close')} busy={busy} onClose={onClose} foot={foot}>
      <form className="stack stack-wide" id={formId} {...form}>
        <FormProblem text={problem === undefined ? undefined : errorText(problem)} />
        <label className="stack">
          {t('dashboard.cases.outcome')}
          <select className="input" name="outcome" defaultValue="done">
            <option value="done">{t('dashboard.cases.outcomes.done')}</option>
            <option value="dismissed">{t('dashboard.cases.outcomes.dismissed')}</option>
          </select>
        </label>
        <Field
          label={t('dashboard.cases.note')}
          hint={t('dashboard.cases.noteHint')}
          autoComplete="off"
          maxLength={200}
          {...field('note')}
        />
      </form>
      {dialog}
    </Dialog>
  )
}

function History({ lines }: { lines: CaseHistory }) {
  const t = translate()
  return (
    <Part title={t('dashboard.cases.history')}>
      <ScrolledList>
        {lines.map(({ at, what, by, outcome, note }) => (
          <li key={`${at} ${what}`}>
            <Time iso={at} />{' '}
            <span className="anywhere">
              {[t(`dashboard.cases.what.${what}`), by, outcome && t(`dashboard.cases.outcomes.${outcome}`), note]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </li>
        ))}
      </ScrolledList>
    </Part>
  )
}
