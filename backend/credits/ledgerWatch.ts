import type { Logger } from 'pino'
import type { Balance, BalancePage } from '#projections/credits/readCredits.ts'
import type { Metrics } from '../kernel/observability/metrics.ts'

/** An account whose balance differs from the sum of its history. */
export type Drift = Readonly<{ userId: string; balance: number; entries: number }>

type ReadBalances = (page: BalancePage) => Promise<readonly Balance[]>

const PAGE = 500
const SETTLE_MS = 30_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Creates a watch that repeatedly compares balances with histories, one page of accounts at a time. Both are read
 * models, and one may briefly be ahead: an account has drifted if the difference is unchanged after `settleMs`
 * without new entries. The watch finds drift early; `npm run audit -- verify` checks all accounts.
 */
export function createLedgerWatch(
  readBalances: ReadBalances,
  { now = Date.now, settleMs = SETTLE_MS, page = PAGE } = {},
) {
  let after = FIRST
  const suspects = new Map<string, Balance & { readonly since: number }>()

  const compare = (rows: readonly Balance[]) => {
    for (const row of rows) {
      const before = suspects.get(row.id)
      if (row.balance === row.entries) suspects.delete(row.id)
      else if (before?.revision !== row.revision || before.balance - before.entries !== row.balance - row.entries)
        suspects.set(row.id, { ...row, since: now() })
    }
  }

  return {
    /** Rechecks the suspects, then checks the next page. Returns the number of accounts on the page and all drifts. */
    async check(): Promise<{ checked: number; drifted: readonly Drift[] }> {
      if (suspects.size > 0) compare(await readBalances({ ids: [...suspects.keys()] }))
      const rows = await readBalances({ after, limit: page })
      after = rows.length < page ? FIRST : rows.at(-1)!.id
      compare(rows.filter(({ id }) => !suspects.has(id)))
      const drifted = [...suspects.values()].filter(({ since }) => now() - since >= settleMs)
      return {
        checked: rows.length,
        drifted: drifted.map(({ id, balance, entries }) => ({ userId: id, balance, entries })),
      }
    },
  }
}

/** Minimum interval between two checks, however often metrics are scraped. */
const CHECK_EVERY_MS = 5_000

/** Returns a metrics collector that checks the ledger. Each drifted account is logged once. */
export function ledgerCollector(
  { gauge, checkedAccounts }: Metrics,
  readBalances: ReadBalances,
  log: Pick<Logger, 'error'>,
) {
  const watch = createLedgerWatch(readBalances)
  const drift = gauge('kinora_ledger_drift_accounts', 'Accounts whose balance differs from the sum of their history.')
  const logged = new Set<string>()
  let checkedAt = Number.NEGATIVE_INFINITY

  return async () => {
    if (performance.now() - checkedAt < CHECK_EVERY_MS) return
    checkedAt = performance.now()
    const { checked, drifted } = await watch.check()
    checkedAccounts.inc(checked)
    drift.set(drifted.length)
    for (const { userId, balance, entries } of drifted) {
      if (!logged.has(userId))
        log.error({ userId, balance, entries, alert: 'ledger_drift' }, 'balance differs from history')
      logged.add(userId)
    }
  }
}
