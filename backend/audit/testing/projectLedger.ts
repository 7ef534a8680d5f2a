import { chainHeads } from '#projections/credits/chainHead.ts'
import { creditBalances } from '#projections/credits/creditBalance.ts'
import { creditEntries } from '#projections/credits/creditEntry.ts'
import type { Database } from '#projections/engine/query.ts'
import { runProjection } from '#projections/engine/runProjection.ts'
import { invoices } from '#projections/subscriptions/invoice.ts'
import type { EventStore } from '../../kernel/eventsourcing/eventStore.port.ts'

/** Brings the read models that an audit checks up to the head of the log. */
export async function projectLedger(store: EventStore, database: Database): Promise<void> {
  const log = { info: () => {}, error: (detail: object) => console.error(detail) }
  for (const projection of [creditBalances, creditEntries, invoices, chainHeads]) {
    const halt = new AbortController()
    await runProjection(projection, { store, database, log, signal: halt.signal, onLive: () => halt.abort() })
  }
}
