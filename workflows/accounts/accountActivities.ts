import { randomUUID } from 'node:crypto'
import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS, type CreditAccountEvent } from '#backend/credits/events.ts'
import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { upcast } from '#backend/kernel/eventsourcing/pure/eventSchemas.ts'
import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'
import { removeTaskMedia } from '#backend/kernel/media/mediaStore.port.ts'
import type { Calendar } from '#backend/kernel/time.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import { renderLane } from '#backend/tasks/renderLane.decider.ts'
import { isCharged, type VideoTask } from '#backend/tasks/videoTask.rules.ts'
import type { Implemented } from '../engine/engine.port.ts'
import { discardEverywhere } from '../tasks/candidateRoutes.ts'
import { type ActivityDeps, createTaskCommands, stepContext } from '../tasks/taskCommands.ts'
import type { DeliverMailActivities } from './deliverMail.workflow.ts'
import type { EraseAccountActivities } from './eraseAccount.workflow.ts'

export type AccountActivities = DeliverMailActivities & EraseAccountActivities

export interface AccountActivityDeps {
  readonly store: EventStore
  readonly calendar: Calendar
  readonly outbox: { move(mailId: string): Promise<void> }
  readonly erasures: Record<'removeRows' | 'record' | 'done', (userId: string) => Promise<void>>
  readonly removeUploads: (userId: string) => Promise<void>
  /** Closes the user's team, and takes the user out of those of others. Films that these have paid for stay with them. */
  readonly endTeams: (userId: string) => Promise<void>
}

const STOP_TIMEOUT_MS = 10_000

export function createAccountActivities(deps: ActivityDeps & AccountActivityDeps): Implemented<AccountActivities> {
  const { at, sendCommand, readTask, origin } = createTaskCommands(deps)
  const { store, outbox, erasures, credits, providers, media } = deps

  /** Yields the ids of all tasks, also of members of the user's team, that ever held the user's credits, including those gone from the read models. */
  async function* tasksOf(userId: string): AsyncGenerator<string> {
    for await (const stored of store.readStream<CreditAccountEvent>(`${CREDIT_ACCOUNT}-${userId}`)) {
      const event = upcast(CREDIT_ACCOUNT_EVENTS, stored)
      if (event.type === 'CreditsHeld') yield event.data.holdId
    }
  }

  /** Erases a task and releases its credits. */
  const endTask = async (userId: string, taskId: string) => {
    const before = await readTask(taskId)
    const state = await sendCommand(taskId, { type: 'Erase', at: at() })
    await stopRender(deps, before)
    await deps.showProgress(taskId, undefined)
    if (!isCharged(state)) await credits.release(userId, taskId, 'account erased', await origin(taskId))
  }

  return {
    sendMail: ({ mailId }) => outbox.move(mailId),

    async erase({ userId }, { signal }) {
      // The user's data must go although a provider or the media store refuses. The retries repeat what failed.
      const failures: unknown[] = []
      const attempt = (step: Promise<unknown>) => step.catch((error) => failures.push(error))
      /** Skips a stream that cannot be read. While the log is away, the retries wait for it. */
      const unlessUnreadable = (error: unknown) => {
        if (!isUnreadable(error)) throw error
        failures.push(error)
      }
      await deps.endTeams(userId).catch(unlessUnreadable)
      await endSubscription(deps, userId).catch(unlessUnreadable)
      const end = (taskId: string) => endTask(userId, taskId).catch(unlessUnreadable)
      const { waiting, holding } = await openTasks(deps, userId, unlessUnreadable)
      // While tasks wait, a slot that becomes free would start the next one.
      await Promise.all(waiting.map(end))
      await Promise.all(holding.map(end))
      const ended = new Set([...waiting, ...holding])
      for await (const taskId of tasksOf(userId)) {
        signal.throwIfAborted()
        if (!ended.has(taskId)) await end(taskId)
        await attempt(discardEverywhere(providers, taskId))
        await attempt(removeTaskMedia(media, taskId))
      }
      await attempt(deps.removeUploads(userId))
      await erasures.removeRows(userId)
      await erasures.record(userId)
      if (failures.length > 0) throw failures[0]
    },

    endErasure: ({ userId }) => erasures.done(userId),
  }
}

/** Returns the tasks in the user's render lane. */
async function openTasks({ handle }: ActivityDeps, userId: string, onError: (error: unknown) => void) {
  try {
    return (await handle.read(renderLane, userId)).state
  } catch (error) {
    onError(error)
    return renderLane.initial
  }
}

/** Stops a running job: nobody will see its video. A provider that cannot does not hold up the erasure. */
async function stopRender({ providers }: ActivityDeps, task: VideoTask): Promise<void> {
  if (task.status !== 'rendering' || task.jobId === null) return
  const stopping = providers.get(task.provider)?.cancel(task.jobId, AbortSignal.timeout(STOP_TIMEOUT_MS))
  await stopping?.catch(() => {})
}

/** Ends the user's subscription and orders, if there are any. The lifecycle workflow then ends them at the provider. */
async function endSubscription({ handle, calendar }: ActivityDeps & AccountActivityDeps, userId: string) {
  const at = new Date(calendar()).toISOString()
  const command = { type: 'CancelSubscription', userId, encryptedReason: null, atPeriodEnd: false, at } as const
  // The second pass may find what a request in flight has added after the first.
  const context = () => ({ ...stepContext('end subscription', userId), commandId: randomUUID() })
  const orders = { type: 'AbandonPacks', userId, at } as const
  await handle(subscription, userId, orders, context())
  try {
    await handle(subscription, userId, command, context())
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
  }
}
