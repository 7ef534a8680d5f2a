import { useStore } from '@nanostores/react'
import { useEffect, useState } from 'react'
import { translate } from '../../i18n/client.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorBoundary } from '../../ui/ErrorBoundary.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { LongWait } from '../../ui/waits/LongWait.tsx'
import { Actions } from './Actions.tsx'
import { Backup } from './Backup.tsx'
import { $away, $empty, $factorMissing, $failed, $refreshing, addSections, refreshBoard } from './board.ts'
import { Cards } from './Cards.tsx'
import { Cases } from './cases/Cases.tsx'
import { $case, cases } from './cases/cases.ts'
import { Hours } from './charts/Hours.tsx'
import { Trend } from './charts/Trend.tsx'
import { Codes } from './codes/Codes.tsx'
import { DeskSearch } from './desk/DeskSearch.tsx'
import { $open } from './desk/desk.ts'
import { Foot } from './Foot.tsx'
import { Graphs } from './graphs/Graphs.tsx'
import { Keys } from './Keys.tsx'
import { Live } from './Live.tsx'
import { Margin } from './Margin.tsx'
import { Masked } from './Masked.tsx'
import { Parked } from './Parked.tsx'
import { DateRange } from './period/DateRange.tsx'
import { Ranking } from './Ranking.tsx'
import { SecurityFailures } from './SecurityFailures.tsx'
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
  const isPerson = useStore($open) !== null
  const isCase = useStore($case) !== null
  return (
    <ErrorBoundary>
      <div className="row spread board-title">
        <h1>{t('dashboard.heading')}</h1>
        {(!empty || away) && !isPerson && !isCase && <DateRange />}
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
          <DeskSearch />
          {isPerson ? <LazyPerson /> : isCase ? <LazyCase /> : <Panels />}
        </>
      )}
    </ErrorBoundary>
  )
}

/** A person's page, whose script is loaded when it is opened. */
function LazyPerson() {
  const [part, setPart] = useState<typeof import('./desk/PersonPage.tsx')>()
  useEffect(() => void import('./desk/PersonPage.tsx').then(setPart), [])
  return part ? <part.PersonPage /> : <div className="skeleton board-skeleton" />
}

/** A case's page, whose script is loaded when it is opened. */
function LazyCase() {
  const [part, setPart] = useState<typeof import('./cases/CasePage.tsx')>()
  useEffect(() => void import('./cases/CasePage.tsx').then(setPart), [])
  return part ? <part.CasePage /> : <div className="skeleton board-skeleton" />
}

const Panels = () => (
  <>
    <Masked />
    <Cards />
    <div className="board-panels stack gap-3">
      <Cases />
      <Triage />
      <Trend />
      <Hours />
      <Ranking />
      <Visits />
      <Users />
      <Live />
      <Margin />
      <TaskHealth />
      <Graphs />
      <Backup />
      <Actions />
      <SecurityFailures />
      <Keys />
      <Codes />
      <Parked />
      <TwoStep />
    </div>
    <Foot />
  </>
)

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
