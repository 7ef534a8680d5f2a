import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { isUuid } from '../kernel/eventsourcing/uuid7.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'
import type { TextFiles } from '../kernel/textFiles.port.ts'

/** An account was erased. Its id is kept, so that a restored backup does not bring the account back. */
type AccountErased = Event<'AccountErased', { userId: string; at: string }>

const STREAM = 'erasedAccounts'

/** File that lists the ids of erased accounts, one per line. */
export const ERASURE_FILE = 'erasures.txt'

/** Parses the list of erased accounts. @throws Error a line is not an id */
export function parseErasures(text: string): Set<string> {
  const ids = text.split('\n').filter((line) => line.trim() !== '')
  const wrong = ids.find((id) => !isUuid(id))
  if (wrong !== undefined) throw new Error(`"${wrong.slice(0, 50)}" is not the id of an account`)
  return new Set(ids)
}

interface ErasureListOptions {
  readonly database: Database
  readonly store: EventStore
  /** Opens the files that are kept outside the database and its backups. */
  readonly openFiles: () => TextFiles
  readonly request: (userId: string) => Promise<unknown>
}

/** Creates the list of erased accounts: ids only, in the log and in a file. */
export function createErasureList({ database, store, openFiles, request }: ErasureListOptions) {
  const readRequests = async (where = '', parameters: readonly string[] = []) => {
    const sql = `select user_id, requested_at from erasure ${where} order by requested_at`
    const rows = await query<{ user_id: string; requested_at: string | Date }>(database, sql, [...parameters])
    return new Map(rows.map((row) => [row.user_id, new Date(row.requested_at).toISOString()]))
  }

  const append = (userId: string, at: string) => {
    const event = { type: 'AccountErased', data: { userId, at } } satisfies AccountErased
    const meta = { correlationId: userId, actor: 'system', schema: 1 }
    return store.append(STREAM, 'any', [{ ...event, id: derivedId('account erased', userId), meta }])
  }

  const addToFile = (userIds: ReadonlySet<string>) =>
    database.em.fork().transactional(async (tx) => {
      // Processes that write at the same time would lose each other's ids.
      await query(tx, `select pg_advisory_xact_lock(hashtext('erasure list'))`)
      const files = openFiles()
      const listed = parseErasures((await files.read(ERASURE_FILE)) ?? '')
      const all = listed.union(userIds)
      if (all.size > listed.size) await files.write(ERASURE_FILE, [...all].map((id) => `${id}\n`).join(''))
    })

  return {
    /** Lists an account whose erasure was requested. Idempotent. */
    async record(userId: string): Promise<void> {
      for (const [id, at] of await readRequests('where user_id = $1', [userId])) await append(id, at)
      await addToFile(new Set([userId]))
    },

    /**
     * Lists the accounts whose erasure was requested but not listed yet. Erases accounts again that the log lists but the database does not,
     * as after the restore of a database that is older than its log.
     */
    async reconcile(): Promise<void> {
      const logged = new Set<string>()
      for await (const { data } of store.readStream<AccountErased>(STREAM)) logged.add(data.userId)
      const requests = await readRequests()
      for (const [userId, at] of requests) if (!logged.has(userId)) await append(userId, at)
      for (const userId of logged) if (!requests.has(userId)) await request(userId)
      if (requests.size > 0) await addToFile(logged.union(requests))
    },
  }
}
