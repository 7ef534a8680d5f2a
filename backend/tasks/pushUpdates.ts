import { readVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import type { Realtime } from '../kernel/http/realtime.ts'
import type { Change, Changes } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { RealtimeMessage } from './contract.ts'
import { taskView } from './taskView.ts'

export interface Pushing {
  readonly database: Database
  readonly changes: Changes
  readonly realtime: Realtime
  readonly decrypt: (userId: string, sealed: string) => Promise<string | undefined>
  readonly creditsOf: (userId: string) => Promise<{ remaining: number; total: number }>
  readonly onError: (error: unknown) => void
}

/** Tells connected users of what a projection has committed: nothing is said before it is so. */
export function pushUpdates({ database, changes, realtime, decrypt, creditsOf, onError }: Pushing): () => void {
  const tell = (userId: string, message: RealtimeMessage) => realtime.send(userId, message)

  const tellTasks = async (taskIds: readonly string[]) => {
    if (!realtime.hasClients()) return
    for (const row of await readVideoTasks(database, taskIds))
      if (realtime.isOnline(row.user_id)) tell(row.user_id, { type: 'task_update', task: await taskView(row, decrypt) })
  }

  const tellCredits = async (userIds: readonly string[]) => {
    for (const userId of userIds)
      if (realtime.isOnline(userId)) tell(userId, { type: 'credits_update', ...(await creditsOf(userId)) })
  }

  // Kept in order: an older row must not overtake a newer one on its way out.
  let last = Promise.resolve()
  return changes.subscribe(({ name, ids }: Change) => {
    if (name === 'videoTasks') last = last.then(() => tellTasks(ids)).catch(onError)
    if (name === 'creditBalances') last = last.then(() => tellCredits(ids)).catch(onError)
  })
}
