import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import type { SavedSnapshot, SnapshotStore } from '../snapshotStore.port.ts'

interface SnapshotLog {
  warn(detail: object, message: string): void
}

interface Row {
  readonly version: number
  readonly revision: string
  readonly hash: string
  readonly state: string
  readonly mac: Buffer
}

/** Shorter than the wait for the events, because a command waits for both. */
const QUERY_TIMEOUT_MS = 2_000

const loadSql = {
  name: 'snapshot_load',
  text: 'select version, revision, hash, state, mac from stream_snapshot where stream = $1',
}
const saveSql = {
  name: 'snapshot_save',
  text: `insert into stream_snapshot (stream, version, revision, hash, state, mac) values ($1, $2, $3, $4, $5, $6)
         on conflict (stream) do update set version = excluded.version, revision = excluded.revision,
           hash = excluded.hash, state = excluded.state, mac = excluded.mac, saved_at = now()`,
}

/**
 * Creates a {@link SnapshotStore} on a Postgres table, also for events in EventStoreDB. Each snapshot carries a MAC with a
 * key derived from `secret`, so that an edited snapshot is discarded.
 */
export function createPostgresSnapshots(pool: pg.Pool, secret: string, log: SnapshotLog): SnapshotStore {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'stream snapshots', 32))
  const macOf = (
    stream: string,
    { version, revision, hash, state }: Omit<SavedSnapshot, 'state'> & { state: string },
  ) =>
    createHmac('sha256', key)
      .update(JSON.stringify([stream, version, revision, hash]))
      .update(state)
      .digest()
  // The latest unsaved snapshot of each stream.
  const unsaved = new Map<string, SavedSnapshot>()
  let saving: Promise<void> | undefined

  async function load(stream: string): Promise<SavedSnapshot | undefined> {
    const query = { ...loadSql, values: [stream], query_timeout: QUERY_TIMEOUT_MS }
    const row = (await pool.query<Row>(query)).rows[0]
    if (!row) return undefined
    const snapshot = { ...row, revision: Number(row.revision) }
    if (row.mac.length === 32 && timingSafeEqual(row.mac, macOf(stream, snapshot)))
      return { ...snapshot, state: JSON.parse(row.state) }
    log.warn({ stream }, 'snapshot discarded, mac invalid')
    return undefined
  }

  async function write(stream: string, { state, ...about }: SavedSnapshot): Promise<void> {
    const snapshot = { ...about, state: JSON.stringify(state) }
    const { version, revision, hash } = about
    const values = [stream, version, revision, hash, snapshot.state, macOf(stream, snapshot)]
    await pool.query({ ...saveSql, values })
  }

  /** Saves one snapshot at a time, so that snapshots never take more than one connection. */
  async function saveAll(): Promise<void> {
    // Encoding a state takes up to a millisecond; callers get their answers first.
    await nextTurn()
    for (const [stream, snapshot] of unsaved) {
      unsaved.delete(stream)
      await write(stream, snapshot).catch((error) => log.warn({ err: error, stream }, 'snapshot not saved'))
    }
    saving = undefined
  }

  return {
    load: (stream) =>
      load(stream).catch((error) => {
        log.warn({ err: error, stream }, 'snapshot not loaded')
        return undefined
      }),
    save(stream, snapshot) {
      unsaved.set(stream, snapshot)
      saving ??= saveAll()
    },
    close: async () => saving,
  }
}
