import type pg from 'pg'
import type { Logger } from 'pino'
import { createLedgerWatch } from './ledgerWatch.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createProjectionLag } from './projectionLag.ts'
import { createSystemGauges } from './systemGauges.ts'

interface Observed {
  readonly pool: pg.Pool
  readonly log: Pick<Logger, 'error' | 'warn'>
  readonly now: () => number
  readonly calendar: () => number
}

/** Between two looks at the ledger, however many ask for the figures. */
const LEDGER_EVERY_MS = 5_000

/** All that `/metrics` tells: what this process has measured, and what the database says at that moment. */
export function createObservability({ pool, log, now, calendar }: Observed) {
  const metrics = createMetrics()
  const lag = createProjectionLag(metrics)
  const collectSystem = createSystemGauges(metrics, pool, { now, calendar })
  const checkLedger = createLedgerCheck(metrics, pool, log)
  const blind = metrics.gauge(
    'kinora_metrics_blind',
    '1 when the database could not be asked: figures from it are old.',
  )
  const askBefore: (() => void)[] = [lag.collect]
  let collecting: Promise<void> | undefined

  const collect = async () => {
    for (const ask of askBefore) ask()
    try {
      await collectSystem()
      await checkLedger()
      blind.set(0)
    } catch (error) {
      blind.set(1)
      log.warn({ err: error }, 'the database could not be asked for figures')
    }
  }

  return {
    metrics,
    lag,
    /** Calls back before the figures are read. */
    onRead: (ask: () => void) => void askBefore.push(ask),
    /** The figures in Prometheus' text format. Those who ask at the same time get the same ones. */
    async read() {
      collecting ??= collect().finally(() => {
        collecting = undefined
      })
      await collecting
      return { type: metrics.registry.contentType, text: await metrics.registry.metrics() }
    },
  }
}

export type Observability = ReturnType<typeof createObservability>

function createLedgerCheck({ gauge, checkedAccounts }: Metrics, pool: pg.Pool, log: Pick<Logger, 'error'>) {
  const ledger = createLedgerWatch(pool)
  const drifted = gauge('kinora_ledger_drift_accounts', 'Accounts whose balance is not the sum of their history.')
  const told = new Set<string>()
  let lookedAt = Number.NEGATIVE_INFINITY

  return async () => {
    if (performance.now() - lookedAt < LEDGER_EVERY_MS) return
    lookedAt = performance.now()
    const found = await ledger.look()
    checkedAccounts.inc(found.checked)
    drifted.set(found.drifted.length)
    for (const drift of found.drifted) {
      if (!told.has(drift.userId))
        log.error({ ...drift, alert: 'ledger_drift' }, 'a balance is not the sum of its history')
      told.add(drift.userId)
    }
  }
}
