import { setTimeout as delay } from 'node:timers/promises'
import { readDeletedOwner, readVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Realtime } from '../kernel/http/realtime.ts'
import { limitSize } from '../kernel/limitSize.ts'
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
  /** Returns the teams of users, with those whom the read model shows as members. */
  readonly teamsOf: (
    ownerIds: readonly string[],
  ) => Promise<readonly Readonly<{ id: string; ownerId: string; members: readonly string[] }>[]>
  /** Returns whether a user is in a team now. */
  readonly isInTeam: (teamId: string, userId: string) => Promise<boolean>
  readonly onError: (error: unknown) => void
}

/** Users and tasks whose latest message is remembered. */
const MAX_REMEMBERED = 10_000
/** Changes that follow others so soon are read together. */
const TOGETHER_MS = 40
/** Time after which changes that could not be read are read once more. */
const RETRY_MS = 1_000
const pauseFor = (ms: number) => delay(ms, undefined, { ref: false })

/** Remembers the owners of tasks, so that later changes for users of other processes are not read. */
function createOwners() {
  const owners = new Map<string, string>()
  return {
    remember({ id, user_id }: { readonly id: string; readonly user_id: string }) {
      owners.set(id, user_id)
      limitSize(owners, MAX_REMEMBERED)
    },
    /** Returns whether the owner of a task is online, or unknown. */
    mayBe(isOnline: (userId: string) => boolean, taskId: string): boolean {
      const owner = owners.get(taskId)
      return owner === undefined || isOnline(owner)
    },
  }
}

/** Ids of what has changed. */
interface Changed {
  readonly tasks: Set<string>
  readonly users: Set<string>
}

/**
 * Sends what has changed in order, so that an older row never arrives after a newer one. What could not be read is read once
 * more: a longer fault also loses notifications, after which all clients connect again.
 */
function createBatches(
  send: (taskIds: readonly string[], userIds: readonly string[]) => Promise<void>,
  pause: (ms: number) => Promise<void>,
  onError: (error: unknown) => void,
) {
  const waiting: Changed = { tasks: new Set(), users: new Set() }
  let isRetry = false
  const sendAll = async () => {
    const [taskIds, userIds] = [[...waiting.tasks], [...waiting.users]]
    waiting.tasks.clear()
    waiting.users.clear()
    try {
      await send(taskIds, userIds)
      isRetry = false
    } catch (error) {
      onError(error)
      isRetry = !isRetry
      if (!isRetry) return
      await pause(RETRY_MS)
      add('tasks', taskIds)
      add('users', userIds)
    }
  }
  let last = Promise.resolve()
  const add = (kind: keyof Changed, ids: readonly string[]) => {
    const isWaiting = waiting.tasks.size + waiting.users.size > 0
    for (const id of ids) waiting[kind].add(id)
    if (isWaiting || ids.length === 0) return
    last = last.then(sendAll).then(() => pause(TOGETHER_MS))
  }
  return { add }
}

/**
 * Pushes task and credit changes to connected users after the projection has committed them: one message for each change of
 * what they see. Returns a function that unsubscribes.
 */
export function pushUpdates(deps: PushDeps, pause: (ms: number) => Promise<void> = pauseFor): () => void {
  const { database, store, changes, realtime, decrypt, creditsOf, onError } = deps
  const latest = new Map<string, string>()
  /** Sends a message about a task or user, unless its receiver has it. */
  const send = async (userId: string, about: string, read: () => RealtimeMessage | Promise<RealtimeMessage>) => {
    // A user who connects again reads the current state.
    if (!realtime.isOnline(userId)) return void latest.delete(about)
    const message = await read()
    const text = JSON.stringify(message)
    if (latest.get(about) === text) return
    if (latest.size >= MAX_REMEMBERED) latest.clear()
    latest.set(about, text)
    realtime.send(userId, message)
  }

  const owners = createOwners()
  const sendTasks = async (changed: readonly string[]) => {
    if (!realtime.hasClients()) return latest.clear()
    const taskIds = changed.filter((id) => owners.mayBe(realtime.isOnline, id) || void latest.delete(id))
    if (taskIds.length === 0) return
    const rows = await readVideoTasks(database, taskIds)
    for (const row of rows) {
      owners.remember(row)
      await send(row.user_id, row.id, async () => ({ type: 'task_update', task: await taskView(row, decrypt) }))
    }
    const shown = new Set(rows.map(({ id }) => id))
    for (const id of taskIds) {
      const owner = shown.has(id) ? undefined : await readDeletedOwner(store, id)
      if (owner) await send(owner, id, () => ({ type: 'task_deleted', id }))
    }
  }

  const sendCredits = (userId: string) =>
    send(userId, userId, async () => ({ type: 'credits_update', ...(await creditsOf(userId)) }))

  /** Sends the balances of users to the members of their teams. */
  const sendTeams = async (ownerIds: readonly string[]) => {
    if (!realtime.hasClients()) return latest.clear()
    for (const { id, ownerId, members } of await deps.teamsOf(ownerIds))
      for (const userId of members) {
        if (realtime.isOnline(userId) && !(await deps.isInTeam(id, userId))) continue
        const read = async () =>
          ({ type: 'team_credits_update', id, remaining: (await creditsOf(ownerId)).remaining }) as const
        await send(userId, `${id} ${userId}`, read)
      }
  }

  const sendAll = async (taskIds: readonly string[], userIds: readonly string[]) => {
    if (taskIds.length > 0) await sendTasks(taskIds)
    for (const userId of userIds) await sendCredits(userId)
    if (userIds.length > 0) await sendTeams(userIds)
  }
  const batches = createBatches(sendAll, pause, onError)
  return changes.subscribe(({ name, ids }: Change) => {
    if (name === 'videoTasks') batches.add('tasks', ids)
    if (name === 'creditBalances') batches.add('users', ids)
  })
}
