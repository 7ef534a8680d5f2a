import type pg from 'pg'
import { pause } from '../../kernel/backoff.ts'
import type { EventStore } from '../../kernel/eventsourcing/eventStore.port.ts'
import { canonicalJson } from '../../kernel/eventsourcing/pure/eventHash.ts'
import { leased, type Running } from '../../kernel/postgres/leased.ts'
import type { Leases } from '../../kernel/postgres/leases.ts'
import { onlyRow } from '../../kernel/postgres/onlyRow.ts'
import type { TextFiles } from '../../kernel/textFiles.port.ts'
import type { Clock } from '../../kernel/time.ts'
import { signingKey } from '../signingKey.ts'
import { type SignedHead, signCheckpoint } from './ledgerHead.ts'
import { readCheckpoints, treeStoreIn } from './ledgerTree.ts'
import { type HeadPlace, writeHead } from './writeHead.ts'

const LATEST = 'latest.json'

/** Stores heads as files, and the last one also under a fixed name. */
export const headPlace = (files: TextFiles): HeadPlace => ({
  async put(name, content) {
    await files.write(name, content)
    await files.write(LATEST, content)
  },
  latest: () => files.read(LATEST),
})

/** Time before the first head, so that it does not delay the start, and between heads, ms. */
const TIMING = { first: 60_000, every: 3_600_000, retry: 60_000 }

interface HeadContext {
  readonly config: { readonly auditKeyFile: string | undefined; readonly dataDir: string }
  readonly store: EventStore
  readonly pool: pg.Pool
  readonly clock: Clock
  readonly leases: Leases
  /** Takes the heads. */
  readonly files: TextFiles
  readonly publicUrl: () => string
  /** Places outside that take the newest checkpoint, a line of text, by name. A place may get one twice. */
  readonly outside: ReadonlyMap<string, (checkpoint: string) => Promise<void>>
  /** Brings the list of erased accounts up to date. */
  reconcileErasures(): Promise<void>
  readonly log: Record<'info' | 'warn' | 'error', (data: object, message: string) => void>
}

/** Returns the time since the newest head included the whole ledger, in seconds. */
export async function readHeadAge(pool: pg.Pool): Promise<number> {
  const sql = 'select extract(epoch from clock_timestamp() - current_at)::float as age from ledger_head'
  return onlyRow(await pool.query<{ age: number }>(sql)).age
}

type Sending = Pick<HeadContext, 'outside' | 'pool' | 'log'>

/** Creates a function that sends the newest checkpoint to the places that lack it. Returns whether all have it. */
function createSending({ outside, pool, log }: Sending): () => Promise<boolean> {
  const sent = new Map<string, number>()
  return async () => {
    const [newest] = await readCheckpoints(pool, 1)
    if (!newest) return true
    const { size } = newest.checkpoint
    const lacking = [...outside].filter(([name]) => sent.get(name) !== size)
    const results = lacking.map(([place, send]) =>
      send(canonicalJson(newest)).then(
        () => sent.set(place, size),
        (err) => log.error({ err, place, alert: 'ledger_head_unsent' }, 'ledger head not sent, retrying'),
      ),
    )
    await Promise.all(results)
    return lacking.every(([name]) => sent.get(name) === size)
  }
}

/** Returns the signing key; undefined if the data folder is read-only and no other key is configured. */
function openKey({ auditKeyFile, dataDir }: HeadContext['config'], log: HeadContext['log']) {
  try {
    return signingKey(auditKeyFile, dataDir)
  } catch (error) {
    log.warn({ err: error }, 'no key to sign ledger heads')
    return undefined
  }
}

/**
 * Keeps the evidence outside the database up to date every hour, in one process at a time: a signed head of the ledger,
 * and the list of erased accounts.
 */
export function startHeads(context: HeadContext, { first, every, retry } = TIMING): Running {
  const { config, store, pool, clock, log, leases, files } = context
  const place = headPlace(files)
  const onLost = ({ createdAt }: SignedHead) =>
    log.error({ head: createdAt, alert: 'ledger_events_lost' }, 'ledger lacks events of last head, starting over')
  const send = createSending(context)
  const writeHeads = async (signal: AbortSignal) => {
    const key = openKey(config, log)
    const tree = key && treeStoreIn(pool, (head) => signCheckpoint(head, context.publicUrl(), key))
    for (let wait = first; key; ) {
      await pause(wait, signal)
      if (signal.aborted) return
      try {
        const events = await writeHead(store, place, {
          key,
          createdAt: new Date(clock()).toISOString(),
          signal,
          tree: tree!,
          onLost,
        })
        await pool.query('update ledger_head set current_at = clock_timestamp()')
        if (events > 0) log.info({ events }, 'ledger head written')
        // The first receipts should not wait an hour for their proof.
        const isEmpty = (await tree?.size()) === undefined
        wait = (await send()) && !isEmpty ? every : retry
      } catch (error) {
        if (signal.aborted) return
        log.error({ err: error, alert: 'ledger_head_failed' }, 'ledger head not written, retrying')
        wait = retry
      }
    }
  }
  const listErasures = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        await context.reconcileErasures()
        await pause(every, signal)
      } catch (error) {
        log.error({ err: error, alert: 'erasure_list_failed' }, 'list of erased accounts not written, retrying')
        await pause(retry, signal)
      }
    }
  }
  return leased(leases, 'heads', () => {
    const halt = new AbortController()
    const done = Promise.all([writeHeads(halt.signal), listErasures(halt.signal)])
    return {
      started: Promise.resolve(),
      async stop() {
        halt.abort()
        await done
      },
    }
  })
}
