import { readDeletedOwner, readVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Realtime } from '../kernel/http/realtime.ts'
import type { Change, Changes } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { RealtimeMessage } from './contract.ts'
import type { Decrypt } from './promptCipher.port.ts'
import { taskView } from './works.ts'

interface PushDeps {
  readonly database: Database
  readonly store: Pick<EventStore, 'readStream'>
  readonly changes: Changes
  readonly realtime: Realtime
  readonly decrypt: Decrypt
  readonly creditsOf: (userId: string) => Promise<{ remaining: number; total: number }>
  readonly onError: (error: unknown) => void
}

/**
 * Pushes task and credit changes to connected users after the projection has committed them. Returns a function that
 * unsubscribes.
 */
export function pushUpdates({ database, store, changes, realtime, decrypt, creditsOf, onError }: PushDeps): () => void {
  const send = (userId: string, message: RealtimeMessage) => realtime.send(userId, message)

  const sendTasks = async (taskIds: readonly string[]) => {
    if (!realtime.hasClients()) return
    const rows = await readVideoTasks(database, taskIds)
    for (const row of rows)
      if (realtime.isOnline(row.user_id)) send(row.user_id, { type: 'task_update', task: await taskView(row, decrypt) })
    const shown = new Set(rows.map(({ id }) => id))
    for (const id of taskIds) {
      const owner = shown.has(id) ? undefined : await readDeletedOwner(store, id)
      if (owner && realtime.isOnline(owner)) send(owner, { type: 'task_deleted', id })
    }
  }

  const sendCredits = async (userIds: readonly string[]) => {
    for (const userId of userIds)
      if (realtime.isOnline(userId)) send(userId, { type: 'credits_update', ...(await creditsOf(userId)) })
  }

  // Send in order, so that an older row never arrives after a newer one.
  let last = Promise.resolve()
  return changes.subscribe(({ name, ids }: Change) => {
    if (name === 'videoTasks') last = last.then(() => sendTasks(ids)).catch(onError)
    if (name === 'creditBalances') last = last.then(() => sendCredits(ids)).catch(onError)
  })
}
