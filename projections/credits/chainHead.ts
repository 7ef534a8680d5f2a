import { defineEntity, p } from '@mikro-orm/core'
import { LEDGER_CATEGORIES, LEDGER_EVENTS, type LedgerEvent } from '#backend/audit/ledgerEvents.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { derivedId, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import type { Projection, RowOf } from '../engine/projection.ts'
import { type Queries, readRows } from '../engine/readRows.ts'

/**
 * The last event of each hash-chained stream, and its hash when first projected. Each event carries the hash of the
 * previous one, so only this row can reveal a change to the last event.
 */
const ChainHeadTable = defineEntity({
  name: 'ChainHeadRow',
  tableName: 'chain_head',
  properties: { id: p.uuid().primary(), stream: p.text(), revision: p.integer(), event_id: p.uuid(), hash: p.text() },
})
export type ChainHeadRow = RowOf<typeof ChainHeadTable>

/** Advances the head to an event that continues the chain. Any other event leaves the row unchanged. */
const advanced = (row: ChainHeadRow | undefined, _: LedgerEvent, stored: Stored): ChainHeadRow | undefined => {
  const { revision, meta } = stored
  const follows = row ? revision === row.revision + 1 && meta.previousHash === row.hash : revision === 0
  if (!follows) return row
  return headOf(stored, eventHash(stored))
}

/** Returns the row of a stream whose last event has the given hash. */
export const headOf = ({ stream, revision, id }: Stored, hash: string): ChainHeadRow => ({
  id: derivedId('chain', stream),
  stream,
  revision,
  event_id: id,
  hash,
})

export const chainHeads: Projection<LedgerEvent, ChainHeadRow> = {
  name: 'chainHeads',
  version: 4,
  table: ChainHeadTable,
  categories: LEDGER_CATEGORIES,
  schemas: LEDGER_EVENTS,
  row: (event) => derivedId('chain', event.stream),
  on: Object.fromEntries(Object.keys(LEDGER_EVENTS).map((type) => [type, advanced])) as Record<
    LedgerEvent['type'],
    typeof advanced
  >,
}

/** Yields the recorded head of every hash-chained stream. */
export async function* readChainHeads(client: Queries): AsyncGenerator<ChainHeadRow> {
  for await (const { row } of readRows<ChainHeadRow>(client, 'chain_head')) yield row
}

const isChained = (stream: string) => LEDGER_CATEGORIES.some((category) => stream.startsWith(`${category}-`))

/** Returns the recorded head of a hash-chained stream; undefined for other streams and before the first event. */
export async function readChainHead(
  client: { query(statement: { name: string; text: string; values: string[] }): Promise<{ rows: unknown[] }> },
  stream: string,
): Promise<Pick<ChainHeadRow, 'revision' | 'hash'> | undefined> {
  if (!isChained(stream)) return undefined
  const { rows } = await client.query({
    name: 'read_chain_head',
    text: 'select revision, hash from chain_head where id = $1',
    values: [derivedId('chain', stream)],
  })
  return rows[0] as ChainHeadRow | undefined
}
