import type { EntityManager } from '@mikro-orm/postgresql'
import type { Change } from './changes.ts'
import { query } from './query.ts'

export const CHANGE_CHANNEL = 'read_model'

/** Postgres limits the payload of a notification to 8,000 bytes. */
const IDS_PER_NOTIFICATION = 100

/** A pool, a connection, or a transaction. */
type Sender = { query(text: string, values: string[]): Promise<unknown> } | Pick<EntityManager, 'execute'>

/**
 * Notifies all processes of changes; in a transaction, when it commits.
 * @example await notify(pool, { name: 'mediaRemovals', ids: [taskId] })
 */
export async function notify(sender: Sender, ...changes: readonly Change[]): Promise<void> {
  const values = [payloadsOf(changes)]
  if ('query' in sender) await sender.query(notifySql('$1'), values)
  else await query(sender, notifySql('$1'), values)
}

/**
 * Returns a select that notifies, for statements that also write.
 * @param payloads placeholder of {@link payloadsOf}
 * @param from table expression that the select is joined with: without rows in it, nothing is sent
 */
export const notifySql = (payloads: string, from?: string): string =>
  `select pg_notify('${CHANGE_CHANNEL}', value) from ${from ? `${from}, ` : ''}jsonb_array_elements_text(${payloads}::jsonb)`

/** Returns the payloads of changes as a JSON array. Changes of many rows have several. */
export const payloadsOf = (changes: readonly Change[]): string =>
  JSON.stringify(changes.flatMap(split).map((change) => JSON.stringify(change)))

function split(change: Change): Change[] {
  const parts = Math.max(1, Math.ceil(change.ids.length / IDS_PER_NOTIFICATION))
  return Array.from({ length: parts }, (_, part) => {
    const first = part * IDS_PER_NOTIFICATION
    return { ...change, ids: change.ids.slice(first, first + IDS_PER_NOTIFICATION) }
  })
}
