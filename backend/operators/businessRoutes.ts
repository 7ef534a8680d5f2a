import { readCreditFlows } from '#projections/credits/readCreditEntries.ts'
import { readRevenue } from '#projections/subscriptions/readSubscription.ts'
import { readDelivered, readLatestFailures, readOpenTasks, readOutcomes } from '#projections/tasks/readTaskHealth.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { instant } from '../kernel/http/instant.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { readOpenAlerts } from './alerts/operatorAlerts.ts'
import { answer } from './boardRoutes.ts'
import * as contract from './contract.ts'
import { type BoardTime, daysOf } from './period.ts'

type Alert = Awaited<ReturnType<typeof readOpenAlerts>>[number]

interface BusinessRoutes {
  readonly database: Database
  readonly time: BoardTime
  readonly alerts: () => Promise<readonly Alert[]>
  /** Whether clips cost the operator money. The built-in renderer is free. */
  readonly hasCost: boolean
}

const HOUR_MS = 3_600_000
/** Waiting time after which a task is stuck: an hour more than the six-hour limit. */
const MAX_WAITING_MS = 7 * HOUR_MS
/** Processing time after which a task is stuck. The limits are half an hour to render and an hour to download. */
const MAX_PROCESSING_MS = 2 * HOUR_MS

/** Returns when a task that is stuck began to wait, or to render. */
export const stuckBefore = (at: number) => ({
  waiting: new Date(at - MAX_WAITING_MS),
  made: new Date(at - MAX_PROCESSING_MS),
})

/** Currency of the provider's prices. */
const COST_CURRENCY = 'USD'

/** Serves task states, revenue and provider costs. */
export function serveBusiness(serve: Serve, { database, time, alerts, hasCost }: BusinessRoutes): void {
  const periodOf = (query: contract.Period) => ({ ...daysOf(query, time.today()), timeZone: time.timeZone })

  serve(contract.taskHealth, async ({ query }) => {
    const at = time.clock()
    const [open, outcomes, latest, openAlerts] = await Promise.all([
      readOpenTasks(database, stuckBefore(at)),
      readOutcomes(database, periodOf(query)),
      readLatestFailures(database, periodOf(query)),
      alerts(),
    ])
    const { waiting, processing, oldest, stuck } = open
    const oldest_waiting_seconds = oldest === null ? null : Math.max(0, Math.round((at - oldest) / 1000))
    const failures = outcomes.flatMap(({ code, count }) => (code === null ? [] : [{ code, count }]))
    const failed = failures.reduce((sum, { code, count }) => (code === 'cancelled' ? sum : sum + count), 0)
    return answer({
      queue: { waiting, processing, oldest_waiting_seconds },
      ended: { succeeded: outcomes.find(({ code }) => code === null)?.count ?? 0, failed },
      failures,
      latest_failures: latest.map((failure) => ({ ...failure, at: instant(failure.at) })),
      stuck: stuck.map((task) => ({ ...task, since: instant(task.since) })),
      alerts: [...openAlerts],
    })
  })

  serve(contract.margin, async ({ query }) => {
    const period = periodOf(query)
    const [flows, revenue, delivered] = await Promise.all([
      readCreditFlows(database, period),
      readRevenue(database, period),
      readDelivered(database, period),
    ])
    const cost = hasCost ? delivered.reduce((sum, { cents, clips }) => sum + clips * (cents ?? 0), 0) : null
    const unpriced = delivered.filter(({ cents }) => cents === null)
    const isComparable = revenue.every(({ currency }) => currency === COST_CURRENCY)
    const income = revenue.reduce((sum, { amount }) => sum + amount, 0)
    return answer({
      credits_sold: flows.sold,
      credits_given: flows.given,
      credits_spent: flows.spent,
      credits_outstanding: flows.outstanding,
      revenue,
      provider_cost: cost,
      margin: cost === null || !isComparable ? null : income - cost,
      unpriced_clips: cost === null ? 0 : unpriced.reduce((sum, { clips }) => sum + clips, 0),
    })
  })
}
