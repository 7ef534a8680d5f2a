import { useStore } from '@nanostores/react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { askAction, type DeskAction, type Person, stopAction } from '#backend/desk/contract.ts'
import { operatorFactors } from '#backend/operators/contract.ts'
import { codeText, errorText } from '../../../api/errorText.ts'
import { localHref, pageLocale, textAt, translate } from '../../../i18n/client.ts'
import { money } from '../../../i18n/money.ts'
import { Button } from '../../../ui/Button.tsx'
import { useStepUp } from '../../../ui/factors/useStepUp.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Table } from '../../../ui/Table.tsx'
import { useBusy } from '../../../ui/useBusy.ts'
import { numberText } from '../figures.ts'
import { May } from '../May.tsx'
import { Time } from '../Time.tsx'
import { type Act, ActDialog } from './ActDialog.tsx'
import { $open, type Open, readPerson, stop } from './desk.ts'
import { Notes } from './Notes.tsx'
import { Part } from './Part.tsx'
import { PastState } from './PastState.tsx'
import { ScrolledList } from './ScrolledList.tsx'
import { StopButton } from './StopButton.tsx'

/** Everything about a person, with what the operator can do. What was done to one person does not stand beside the next. */
export function PersonPage() {
  const open = useStore($open)
  return <OpenPerson key={open?.id} open={open} />
}

function OpenPerson({ open }: { open: Open | null }) {
  const t = translate()
  const heading = useRef<HTMLHeadingElement>(null)
  const [act, setAct] = useState<Act>()
  const [result, setResult] = useState('')
  const person = open?.person
  const personId = person?.id
  // The page replaces the board, so reading goes on at its heading.
  useEffect(() => {
    if (personId !== undefined) heading.current?.focus()
  }, [personId])
  return (
    <div className="stack desk-person">
      <p>
        <a className="link" href="#board">
          {t('dashboard.desk.back')}
        </a>
      </p>
      {open?.error !== undefined && <Notice tone="danger">{errorText(open.error)}</Notice>}
      {!person && open?.error === undefined && <div className="skeleton board-skeleton" />}
      {person && (
        <>
          <div className="row spread">
            <h2 className="anywhere" ref={heading} tabIndex={-1}>
              {person.name}
            </h2>
            <span className="hint" role="status">
              {result}
            </span>
          </div>
          {person.suspended && <Notice tone="warning">{t('dashboard.desk.isSuspended')}</Notice>}
          <div className="desk-grid">
            <Account person={person} masked={open?.masked === true} onAct={setAct} />
            <Payments person={person} onAct={setAct} />
            <Balance person={person} />
            <Videos person={person} onAct={setAct} />
            <PastState key={person.id} person={person} />
            <Access person={person} />
            <Actions person={person} />
            <Notes notes={person.notes} />
          </div>
          {act && (
            <ActDialog
              act={act}
              onClose={(text) => {
                setAct(undefined)
                if (text !== undefined) setResult(text)
              }}
            />
          )}
        </>
      )}
    </div>
  )
}

type OnAct = (act: Act) => void

function Account({ person, masked, onAct }: { person: Person; masked: boolean; onAct: OnAct }) {
  const t = translate()
  const { id, plan, name } = person
  const kinds = [
    ...(['grant', 'take', person.suspended ? 'restore' : 'suspend', 'sign_out'] as const),
    person.verified_at === null ? ('verify_email' as const) : ('send_reset' as const),
    ...(plan.current_tier === 'free' ? [] : (['cancel_plan'] as const)),
    ...(person.second_factors.length === 0 ? [] : (['remove_factor'] as const)),
    ...(['change_address', 'delete_account'] as const),
  ]
  const facts: [string, ReactNode][] = [
    [t('dashboard.desk.email'), <Address key="email" email={person.email} masked={masked} />],
    [
      t('dashboard.desk.id'),
      <code key="id" className="anywhere">
        {id}
      </code>,
    ],
    [t('dashboard.desk.registered'), <Time key="created" iso={person.created_at} />],
    [
      t('dashboard.desk.verified'),
      person.verified_at ? <Time key="verified" iso={person.verified_at} /> : t('dashboard.desk.no'),
    ],
    [
      t('dashboard.desk.plan'),
      `${t(`dashboard.desk.tiers.${plan.current_tier}`)} · ${t(`dashboard.desk.planStatus.${plan.current_status}`)}`,
    ],
    [t('dashboard.desk.left'), numberText(plan.remaining_credits)],
    [t('dashboard.desk.factors'), numberText(person.second_factors.length)],
  ]
  return (
    <Part title={t('dashboard.desk.account')}>
      <dl className="desk-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <May call={askAction}>
        <div className="row desk-acts">
          {kinds.map((kind) => (
            <Button
              key={kind}
              variant={kind === 'suspend' || kind === 'delete_account' ? 'danger' : 'outline'}
              label={t(`dashboard.desk.acts.${kind}`)}
              onClick={() => onAct({ kind, subject: id, about: name })}
            />
          ))}
        </div>
      </May>
    </Part>
  )
}

/** An address, shortened until the operator asks for it, which is recorded. */
function Address({ email, masked }: { email: string; masked: boolean }) {
  const t = translate()
  const [busy, run] = useBusy()
  const { guard, dialog } = useStepUp(operatorFactors)
  const reveal = () => guard(() => readPerson(true)).catch(() => {})
  return (
    <>
      <span className="anywhere">{email}</span>{' '}
      {masked && <Button variant="quiet" busy={busy} label={t('dashboard.desk.reveal')} onClick={() => run(reveal)} />}
      {dialog}
    </>
  )
}

function Payments({ person: { payments }, onAct }: { person: Person; onAct: OnAct }) {
  const t = translate()
  const locale = pageLocale()
  return (
    <Part title={t('dashboard.desk.payments')} total={payments.total}>
      <Table
        className="table-lines board-table board-lines"
        rows={payments.items}
        keyOf={({ id }) => id}
        columns={[
          {
            head: t('dashboard.desk.payment'),
            isRowHead: true,
            cell: ({ number }) => <span className="anywhere">{number}</span>,
          },
          { head: t('dashboard.desk.when'), cell: ({ paid_at }) => <Time iso={paid_at} /> },
          {
            head: t('dashboard.desk.amount'),
            cell: ({ amount, refunded, currency }) =>
              refunded === 0
                ? money(amount, currency, locale)
                : t('dashboard.desk.refundedOf', {
                    refunded: money(refunded, currency, locale),
                    amount: money(amount, currency, locale),
                  }),
          },
          {
            head: t('dashboard.desk.acts.refund'),
            headShown: '',
            cell: ({ payment: subject, number, currency, refundable, unused: proposed }) =>
              refundable > 0 && (
                <May call={askAction}>
                  <Button
                    variant="quiet"
                    label={t('dashboard.desk.acts.refund')}
                    aria-label={`${t('dashboard.desk.acts.refund')}: ${number}`}
                    onClick={() => onAct({ kind: 'refund', subject, about: number, currency, proposed })}
                  />
                </May>
              ),
          },
        ]}
      />
    </Part>
  )
}

/** Returns the text of a reason: one of the catalogue, or what an operator wrote. */
const reasonText = (reason: string) => textAt(`credits.reason.${reason}`) ?? reason

function Balance({ person: { balance } }: { person: Person }) {
  const t = translate()
  return (
    <Part title={t('dashboard.desk.balance')} total={balance.total}>
      <Table
        className="table-lines board-table board-lines"
        rows={balance.items}
        keyOf={({ id }) => id}
        columns={[
          {
            head: t('dashboard.desk.reason'),
            isRowHead: true,
            cell: ({ reason, task_id, film }) =>
              film && task_id ? (
                <Film id={task_id} poster={film.thumbnail_url} name={reasonText(reason)} />
              ) : (
                <span className="anywhere">{reasonText(reason)}</span>
              ),
          },
          { head: t('dashboard.desk.when'), cell: ({ created_at }) => <Time iso={created_at} /> },
          {
            head: t('dashboard.desk.credits'),
            cell: ({ amount, balance_after }) =>
              `${amount > 0 ? '+' : ''}${numberText(amount)} → ${numberText(balance_after)}`,
          },
          { head: t('dashboard.desk.event'), cell: ({ revision, id }) => <code title={id}>{revision}</code> },
        ]}
      />
    </Part>
  )
}

/** A film with the address of its page, which only its owner can open. */
function Film({ id, poster, name }: { id: string; poster: string | null; name: string }) {
  const t = translate()
  return (
    <span className="row desk-film">
      {poster && <img src={poster} alt="" width="64" height="36" loading="lazy" />}
      <span>
        {name}
        <br />
        <a className="link anywhere" href={localHref(`/film/${id}`)} title={t('dashboard.desk.filmPage')}>
          <code>{id}</code>
        </a>
      </span>
    </span>
  )
}

function Videos({ person: { videos }, onAct }: { person: Person; onAct: OnAct }) {
  const t = translate()
  return (
    <Part title={t('dashboard.desk.videos')} total={videos.total}>
      <Table
        className="table-lines board-table board-lines"
        rows={videos.items}
        keyOf={({ id }) => id}
        columns={[
          {
            head: t('dashboard.desk.video'),
            isRowHead: true,
            cell: ({ id, poster, model }) => <Film id={id} poster={poster} name={model} />,
          },
          { head: t('dashboard.desk.when'), cell: ({ created_at }) => <Time iso={created_at} /> },
          {
            head: t('dashboard.desk.state'),
            cell: ({ id: subject, model, status, page, engine, error_code, error_detail }) => (
              <>
                {t(`dashboard.desk.videoStatus.${status}` as 'dashboard.desk.videoStatus.Success')}
                {engine && ` · ${engine}`}
                {error_code && <p className="fault anywhere">{`${error_code} ${error_detail ?? ''}`}</p>}
                <May call={askAction}>
                  <div className="row desk-acts">
                    {taskActs(status, page).map((kind) => (
                      <Button
                        key={kind}
                        variant="quiet"
                        label={t(`dashboard.desk.acts.${kind}`)}
                        aria-label={`${t(`dashboard.desk.acts.${kind}`)}: ${subject}`}
                        onClick={() => onAct({ kind, subject, about: model })}
                      />
                    ))}
                  </div>
                </May>
              </>
            ),
          },
        ]}
      />
    </Part>
  )
}

/** Returns what can be ordered about a video. `page`: state of its public page. */
function taskActs(status: string, page: 'shared' | 'removed' | null) {
  if (page) return [page === 'shared' ? 'take_down' : 'put_back'] as const
  if (status === 'Success') return []
  return status === 'Fail' ? (['retry_task'] as const) : (['cancel_task', 'release_task'] as const)
}

type Line = Readonly<{ id: string; at: string; text: ReactNode }>

/** A list of what happened when. */
function Lines({ title, lines, total }: { title: string; lines: readonly Line[]; total?: number }) {
  return (
    <Part title={title} total={total ?? lines.length}>
      <ScrolledList>
        {lines.map(({ id, at, text }) => (
          <li key={id}>
            <Time iso={at} /> <span className="anywhere">{text}</span>
          </li>
        ))}
      </ScrolledList>
    </Part>
  )
}

function Access({ person: { keys, sessions, mails, security } }: { person: Person }) {
  const t = translate()
  const device = ({ browser, system }: { browser: string | null; system: string | null }) =>
    [browser, system].filter(Boolean).join(' · ')
  return (
    <>
      <Lines
        title={t('dashboard.desk.keys')}
        lines={keys.map(({ id, name, hint, created_at: at }) => ({ id, at, text: `${name} …${hint}` }))}
      />
      <Lines
        title={t('dashboard.desk.sessions')}
        lines={sessions.map(({ id, last_used_at: at, ...each }) => ({ id, at, text: device(each) }))}
      />
      <Lines title={t('dashboard.desk.mails')} lines={mails.map(({ id, at, subject: text }) => ({ id, at, text }))} />
      <Lines
        title={t('dashboard.desk.security')}
        total={security.total}
        lines={security.items.map(({ id, at, event, network, ...each }) => ({
          ...{ id, at },
          text: [t(`profile.security.event.${event}`), device(each), network].filter(Boolean).join(' · '),
        }))}
      />
    </>
  )
}

function Actions({ person: { actions } }: { person: Person }) {
  const t = translate()
  const locale = pageLocale()
  const amountText = (amount: number | null, currency: string | null) =>
    amount === null ? '' : ` ${currency ? money(amount, currency, locale) : numberText(amount)}`
  const textOf = ({ kind, amount, currency, status, why, reason, operator }: DeskAction) => {
    const act = `${t(`dashboard.desk.acts.${kind}`)}${amountText(amount, currency)}`
    return `${act} · ${t(`dashboard.desk.state_${status}`)}${why ? ` (${codeText(why)})` : ''} · ${operator}: ${reason}`
  }
  return (
    <Lines
      title={t('dashboard.desk.actions')}
      total={actions.total}
      lines={actions.items.map((action) => ({
        ...{ id: action.id, at: action.asked_at },
        text: (
          <>
            {textOf(action)}
            {action.status === 'scheduled' && action.due_at && (
              <>
                {' · '}
                <Time iso={action.due_at} />{' '}
                <StopButton
                  call={stopAction}
                  about={t(`dashboard.desk.acts.${action.kind}`)}
                  onStop={() => stop(action.id)}
                />
              </>
            )}
          </>
        ),
      }))}
    />
  )
}
