import { useStore } from '@nanostores/react'
import { type ComponentType, useEffect, useState } from 'react'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { offerReload } from '../../ui/toasts/offerReload.ts'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { Actions } from './Actions.tsx'
import { Backup } from './Backup.tsx'
import { $away, $empty, $factorMissing, $failed, $refreshing, addSections, now, refreshBoard } from './board.ts'
import { Cards } from './Cards.tsx'
import { Cases } from './cases/Cases.tsx'
import { cases } from './cases/cases.ts'
import { Hours } from './charts/Hours.tsx'
import { Trend } from './charts/Trend.tsx'
import { Codes } from './codes/Codes.tsx'
import { DeskSearch } from './desk/DeskSearch.tsx'
import { $page, PAGES } from './desk/desk.ts'
import { DemoBanner } from './engines/DemoBanner.tsx'
import { Foot } from './Foot.tsx'
import { Graphs } from './graphs/Graphs.tsx'
import { Keys } from './Keys.tsx'
import { Live } from './Live.tsx'
import { Margin } from './Margin.tsx'
import { Masked } from './Masked.tsx'
import { Now } from './Now.tsx'
import { Outbox } from './Outbox.tsx'
import { own } from './operators/operators.ts'
import { Parked } from './Parked.tsx'
import { DateRange } from './period/DateRange.tsx'
import { Ranking } from './Ranking.tsx'
import { SecurityFailures } from './SecurityFailures.tsx'
import { Sources } from './Sources.tsx'
import { TaskHealth } from './TaskHealth.tsx'
import { TwoStep } from './TwoStep.tsx'
import { Triage } from './triage/Triage.tsx'
import { triage } from './triage/triage.ts'
import { Users } from './Users.tsx'
import { Visits } from './Visits.tsx'

addSections(cases, triage)

/** Operator dashboard with key figures, charts and tables. */
export function Board() {
  const t = translate()
  const [failed, empty, away] = [useStore($failed), useStore($empty), useStore($away)]
  const refreshing = useStore($refreshing)
  const factorMissing = useStore($factorMissing)
  const page = useStore($page)
  const isInvited = useStore(own.$section).data?.role === 'invited'
  if (isInvited) return <FirstFactor />
  return (
    <ErrorBoundary>
      <div className="row spread board-title">
        <h1>{t('dashboard.heading')}</h1>
        {(!empty || away) && page === null && <DateRange note={t('dashboard.period.note')} />}
      </div>
      {refreshing && <LongWait onRetry={refreshBoard} />}
      <div role="alert">{failed && !away && <Failure />}</div>
      {(!empty || away) && (
        <>
          {factorMissing && (
            <Notice tone="warning">
              {t('dashboard.twoStep.missing')}{' '}
              <a className="link" href="#two-step">
                {t('dashboard.twoStep.setUp')}
              </a>
            </Notice>
          )}
          <Successor />
          <DemoBanner />
          <DeskSearch />
          <Nav page={page} />
          {page ? <LazyPage key={page} page={page} /> : <Panels />}
        </>
      )}
    </ErrorBoundary>
  )
}

type Page = NonNullable<ReturnType<typeof $page.get>>

const LOAD: Readonly<Record<Page, () => Promise<ComponentType>>> = {
  operators: async () => (await import('./operators/OperatorsPage.tsx')).OperatorsPage,
  person: async () => (await import('./desk/PersonPage.tsx')).PersonPage,
  case: async () => (await import('./cases/CasePage.tsx')).CasePage,
  control: async () => (await import('./control/ControlPage.tsx')).ControlPage,
  engines: async () => (await import('./engines/Engines.tsx')).Engines,
  money: async () => (await import('./money/MoneyPage.tsx')).MoneyPage,
}

/** A page of the board, whose script is loaded when it is opened. */
function LazyPage({ page }: { page: Page }) {
  const [Opened, setOpened] = useState<ComponentType>()
  useEffect(() => void LOAD[page]().then((component) => setOpened(() => component), offerReload), [page])
  return Opened ? <Opened /> : <div className="skeleton board-skeleton" />
}

/** Links to the pages of the board. */
function Nav({ page }: { page: Page | null }) {
  const t = translate()
  return (
    <nav className="row board-nav" aria-label={t('dashboard.pages.label')}>
      {(['board', ...PAGES] as const).map((each) => (
        <a
          key={each}
          className="touch plain bold"
          href={`#${each}`}
          aria-current={each === (page ?? 'board') ? 'page' : undefined}
        >
          {t(`dashboard.pages.${each}`)}
        </a>
      ))}
    </nav>
  )
}

/** Asks the only owner for a successor. */
function Successor() {
  const t = translate()
  const me = useStore(own.$section).data
  if (!me?.alone || me.role !== 'owner') return null
  return (
    <Notice tone="warning">
      {t('dashboard.operators.alone')}{' '}
      <a className="link" href="#operators">
        {t('dashboard.operators.open')}
      </a>
    </Notice>
  )
}

/** Lets an invited operator set up the second factor without which nothing else may be done. */
function FirstFactor() {
  const t = translate()
  return (
    <>
      <div className="row board-title">
        <h1>{t('dashboard.invitation.factorHeading')}</h1>
      </div>
      <p className="muted">{t('dashboard.invitation.factorLead')}</p>
      <TwoStep />
      <p>
        <Button label={t('dashboard.invitation.open')} variant="primary" onClick={() => location.reload()} />
      </p>
    </>
  )
}

/** What needs the operator, and the panels below, which wait for it, so that they do not move. */
function Panels() {
  const { data, error } = useStore(now.$section)
  const isHeld = data === null && error === undefined
  return (
    <>
      <Now />
      <div className={`stack stack-wide${isHeld ? ' board-held' : ''}`}>
        <Masked />
        <Cards />
        <div className="board-panels stack gap-3">
          <Trend />
          <Hours />
          <Ranking />
          <Sources />
          <Visits />
          <Users />
          <Live />
          <Margin />
          <TaskHealth />
          <Cases />
          <Triage />
          <Graphs />
          <Backup />
          <Actions />
          <SecurityFailures />
          <Keys />
          <Codes />
          <Outbox />
          <Parked />
          <TwoStep />
        </div>
        <Foot />
      </div>
    </>
  )
}

function Failure() {
  const t = translate()
  const busy = useStore($refreshing)
  return (
    <div className="card row board-failure bold">
      <Icon name="alert" />
      <p>{t('dashboard.failed')}</p>
      <Button
        label={t('dashboard.retry')}
        variant="primary"
        icon="refresh"
        busy={busy}
        onClick={() => void refreshBoard()}
      />
    </div>
  )
}
