import { readCreditFlows, readRevenue } from '#projections/credits/readMoney.ts'
import { readDelivered, readOpenTasks, readOutcomes } from '#projections/tasks/readTaskHealth.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { instant } from '../kernel/http/instant.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import * as contract from './contract.ts'
import { daysOf } from './period.ts'

interface Alert {
  readonly code: string
  readonly detail: string
  readonly since: string
  readonly times: number
}

export interface BusinessRoutes {
  readonly database: Database
  readonly dayOf: (at: number) => string
  readonly timeZone: string
  /** The calendar, by which days are counted. */
  readonly calendar: () => number
  /** The clock, by which tasks are made. */
  readonly now: () => number
  readonly alerts: () => Promise<Alert[]>
  /** What the provider asks for a clip, in US cents; undefined while nobody is paid. */
  readonly providerCents: ((resolution: string, seconds: number) => number) | undefined
}

const HOUR_MS = 3_600_000
/** A task waits for six hours at most, and is then made within half an hour; a finished file is fetched within an hour. */
const WAITS_MS = 7 * HOUR_MS
const IS_MADE_MS = 2 * HOUR_MS

const BY_CURRENCY = 'USD'

/** How the tasks do, and what they earn. */
export function serveBusiness(serve: Serve, ports: BusinessRoutes): void {
  const { database, dayOf, timeZone, calendar, now, alerts, providerCents } = ports
  const periodOf = (query: contract.Period) => ({ ...daysOf(query, dayOf(calendar())), timeZone })

  serve(contract.taskHealth, async ({ query }) => {
    const at = now()
    const [open, outcomes, standing] = await Promise.all([
      readOpenTasks(database, { waiting: new Date(at - WAITS_MS), made: new Date(at - IS_MADE_MS) }),
      readOutcomes(database, periodOf(query)),
      alerts(),
    ])
    const { waiting, processing, oldest, stuck } = open
    const failures = outcomes.flatMap(({ code, count }) => (code === null ? [] : [{ code, count }]))
    return {
      success: true as const,
      data: {
        queue: {
          waiting,
          processing,
          oldest_waiting_seconds: oldest === null ? null : Math.max(0, Math.round((at - oldest) / 1000)),
        },
        ended: {
          succeeded: outcomes.find(({ code }) => code === null)?.count ?? 0,
          failed: failures.reduce((sum, { count }) => sum + count, 0),
        },
        failures,
        stuck: stuck.map((task) => ({ ...task, since: instant(task.since) })),
        alerts: standing,
      },
    }
  })

  serve(contract.margin, async ({ query }) => {
    const period = periodOf(query)
    const [flows, revenue, delivered] = await Promise.all([
      readCreditFlows(database, period),
      readRevenue(database, period),
      readDelivered(database, period),
    ])
    const cost = providerCents
      ? delivered.reduce((sum, { resolution, duration, clips }) => sum + clips * providerCents(resolution, duration), 0)
      : null
    const dollars = revenue.find(({ currency }) => currency === BY_CURRENCY)?.amount ?? 0
    return {
      success: true as const,
      data: {
        credits_sold: flows.sold,
        credits_given: flows.given,
        credits_spent: flows.spent,
        credits_outstanding: flows.outstanding,
        revenue,
        provider_cost: cost,
        margin: cost === null ? null : dollars - cost,
      },
    }
  })
}
