import type pg from 'pg'
import type { EventStore, GlobalPosition } from '../../kernel/eventsourcing/eventStore.port.ts'
import { eventHash } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { inTransaction } from '../../kernel/postgres/inTransaction.ts'
import { onlyRow } from '../../kernel/postgres/onlyRow.ts'
import { prepared } from '../../kernel/postgres/query.ts'
import { readLedger } from '../readLedger.ts'
import type { SignedCheckpoint } from './ledgerHead.ts'
import { leafHash, nodeHash } from './merkleLog.ts'
import { CHUNK, type Chunk, type TreeStore } from './writeHead.ts'

/** Where an event is in the tree, and the hashes that lead from it to the root (RFC 9162, 2.1.3), in hex. */
export type Inclusion = Readonly<{ index: number; path: readonly string[] }>

/** Stores the tree in the database. `sign` returns the checkpoint of a head. */
export function treeStoreIn(pool: pg.Pool, sign: (head: Parameters<TreeStore['add']>[0]) => string): TreeStore {
  return {
    async size() {
      const sql = 'select max(size)::float as size from ledger_checkpoint'
      return onlyRow(await pool.query<{ size: number | null }>(sql)).size ?? undefined
    },

    add: (head, chunks, isFirst) =>
      inTransaction(pool, async (client) => {
        if (isFirst) await client.query('delete from ledger_chunk')
        if (isFirst) await client.query('delete from ledger_checkpoint')
        const sql = `insert into ledger_chunk (id, last_position, root)
          select coalesce((select max(id) + 1 from ledger_chunk), 0) + n - 1, last, root
          from unnest($1::text[], $2::text[]) with ordinality as added (last, root, n)`
        await client.query(sql, [chunks.map(({ last }) => last), chunks.map(({ root }) => root)])
        const text = sign(head)
        await client.query('insert into ledger_checkpoint (size, text) values ($1, $2)', [head.size, text])
      }),
  }
}

/** Returns the newest published checkpoints, newest first. */
export async function readCheckpoints(pool: pg.Pool, count: number): Promise<SignedCheckpoint[]> {
  const sql = 'select text from ledger_checkpoint order by size desc limit $1'
  return (await pool.query<{ text: string }>(prepared(sql, [count]))).rows.map(({ text }) => JSON.parse(text))
}

/** Returns the largest power of two below a number. */
const split = (n: number) => 2 ** Math.floor(Math.log2(n - 1))

/** Reads the events of a subtree, which follow a position. */
async function readChunk(store: EventStore, from: GlobalPosition | undefined) {
  const positions: GlobalPosition[] = []
  const leaves: Buffer[] = []
  for await (const page of readLedger(store, { from, page: CHUNK })) {
    for (const event of page.slice(0, CHUNK - leaves.length)) {
      positions.push(event.position)
      leaves.push(leafHash(eventHash(event)))
    }
    if (leaves.length === CHUNK) break
  }
  return { positions, leaves }
}

/**
 * Opens the tree of the ledger for proofs. A proof reads the roots of complete subtrees of {@link CHUNK} events, and only
 * the events of the subtrees that it goes into. Open it for each request: it remembers what it has read.
 */
export async function openTree(pool: pg.Pool, store: EventStore) {
  const sql = 'select root, last_position as last from ledger_chunk order by id'
  const { rows: chunks } = await pool.query<Chunk>(sql)
  const read = new Map<number, ReturnType<typeof readChunk>>()

  const inChunk = (chunk: number) => {
    const reading = read.get(chunk) ?? readChunk(store, chunks[chunk - 1]?.last)
    read.set(chunk, reading)
    return reading
  }

  /** Returns the root of the leaves from `from` up to and without `to`. @throws RangeError the log is shorter */
  const rootOf = async (from: number, to: number): Promise<Buffer> => {
    const size = to - from
    const chunk = Math.floor(from / CHUNK)
    if (size === CHUNK && from % CHUNK === 0 && chunks[chunk]) return Buffer.from(chunks[chunk].root, 'hex')
    if (size === 1) {
      const leaf = (await inChunk(chunk)).leaves[from % CHUNK]
      if (!leaf) throw new RangeError(`the ledger has no event ${from}`)
      return leaf
    }
    const middle = from + split(size)
    return nodeHash(await rootOf(from, middle), await rootOf(middle, to))
  }

  const pathOf = async (index: number, from: number, to: number): Promise<Buffer[]> => {
    if (to - from === 1) return []
    const middle = from + split(to - from)
    return index < middle
      ? [...(await pathOf(index, from, middle)), await rootOf(middle, to)]
      : [...(await pathOf(index, middle, to)), await rootOf(from, middle)]
  }

  /** Proves that the tree of the first `size` leaves is the beginning of that of `[from, to)` (RFC 9162, 2.1.4). */
  const consistencyOf = async (size: number, from: number, to: number, isWhole: boolean): Promise<Buffer[]> => {
    if (size === to) return isWhole ? [] : [await rootOf(from, to)]
    const middle = from + split(to - from)
    return size <= middle
      ? [...(await consistencyOf(size, from, middle, isWhole)), await rootOf(middle, to)]
      : [...(await consistencyOf(size, middle, to, false)), await rootOf(from, middle)]
  }
  const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex'))

  return {
    /** Returns the proof that the event at a position is in the tree of `size` events; undefined if it is not. */
    async inclusion(position: GlobalPosition, size: number): Promise<Inclusion | undefined> {
      const found = chunks.findIndex(({ last }) => last >= position)
      const chunk = found === -1 ? chunks.length : found
      const at = (await inChunk(chunk)).positions.indexOf(position)
      const index = chunk * CHUNK + at
      return at === -1 || index >= size ? undefined : { index, path: hex(await pathOf(index, 0, size)) }
    },

    /** Returns the proof that the tree of `to` events begins with that of `from` events. @throws RangeError */
    async consistency(from: number, to: number): Promise<readonly string[]> {
      return from === to ? [] : hex(await consistencyOf(from, 0, to, true))
    },
  }
}
