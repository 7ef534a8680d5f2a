import type { EntityManager } from '@mikro-orm/postgresql'
import type { Change } from './changes.ts'
import { query } from './query.ts'

export const CHANGE_CHANNEL = 'read_model'

const IDS_PER_CHANGE = 100
/** PostgreSQL limits the payload of a notification to 8,000 bytes. */
const PAYLOAD_BYTES = 7_900

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

/**
 * Returns the payloads of changes as a JSON array. Each holds one change, or a list of several: every payload of a commit wakes
 * every process that listens.
 */
export function payloadsOf(changes: readonly Change[]): string {
  const payloads: string[][] = []
  let left = 0
  for (const change of changes.flatMap(split)) {
    const text = JSON.stringify(change)
    left -= Buffer.byteLength(text) + 1
    if (left >= 0) payloads.at(-1)!.push(text)
    else {
      payloads.push([text])
      left = PAYLOAD_BYTES - Buffer.byteLength(text)
    }
  }
  return JSON.stringify(payloads.map((texts) => (texts.length === 1 ? texts[0] : `[${texts}]`)))
}

/** Returns the changes of a payload. */
export function changesOf(payload: string): readonly Change[] {
  const parsed = JSON.parse(payload) as Change | readonly Change[]
  return Array.isArray(parsed) ? parsed : [parsed as Change]
}

function split(change: Change): Change[] {
  const parts = Math.max(1, Math.ceil(change.ids.length / IDS_PER_CHANGE))
  return Array.from({ length: parts }, (_, part) => {
    const first = part * IDS_PER_CHANGE
    return { ...change, ids: change.ids.slice(first, first + IDS_PER_CHANGE) }
  })
}
