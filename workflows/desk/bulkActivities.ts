import { deskAction, isOver } from '#backend/desk/deskAction.decider.ts'
import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import type { Calendar } from '#backend/kernel/time.ts'
import { bulk } from '#backend/triage/bulk.decider.ts'
import type { BulkOrder } from '#backend/triage/events.ts'
import type { ActivityContext, Implemented } from '../engine/engine.port.ts'
import type { RunBulkActivities } from './runBulk.workflow.ts'

export interface BulkDeps {
  readonly handle: Handle
  readonly calendar: Calendar
  readonly delay: (ms: number, signal?: AbortSignal) => Promise<unknown>
}

/** Videos of one activity, which a stop may have to wait for only until the next video. */
const PART = 10
const POLL_MS = 50

/** Creates the activities of bulks. Triggers of the log carry out the actions, each of which is named after bulk and video. */
export function createBulkActivities({ handle, calendar, delay }: BulkDeps) {
  const at = () => new Date(calendar()).toISOString()
  const actionOf = (bulkId: string, taskId: string) => derivedId('bulk', bulkId, taskId)

  async function settle(
    bulkId: string,
    { operator, kind, reason }: BulkOrder,
    { taskId: subject, userId }: BulkOrder['items'][number],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const actionId = actionOf(bulkId, subject)
    const order = { actionId, operator, kind, subject, userId, reason, bulk: bulkId, at: at() }
    const context = { commandId: derivedId('ask', actionId), actor: `operator:${operator}`, correlationId: actionId }
    let { state } = await handle(deskAction, actionId, { type: 'AskAction', ...order }, context)
    while (state && !isOver(state)) {
      signal?.throwIfAborted()
      await delay(POLL_MS, signal)
      state = (await handle.read(deskAction, actionId)).state
    }
  }

  async function end(bulkId: string, { items }: BulkOrder): Promise<void> {
    const counts = { done: 0, failed: 0 }
    for (const { taskId } of items) {
      const { state } = await handle.read(deskAction, actionOf(bulkId, taskId))
      if (state?.status === 'done') counts.done++
      else if (state) counts.failed++
    }
    const context = { commandId: derivedId('end bulk', bulkId), actor: 'system', correlationId: bulkId }
    await handle(bulk, bulkId, { type: 'EndBulk', bulkId, ...counts, at: at() }, context)
  }

  return {
    async runBulkPart({ bulkId, from }, { signal }: Partial<ActivityContext> = {}) {
      for (let next = from; next < from + PART; next++) {
        const { state } = await handle.read(bulk, bulkId)
        if (!state || state.isOver) return null
        const item = state.items[next]
        if (!item || state.isStopped) {
          await end(bulkId, state)
          return null
        }
        await settle(bulkId, state, item, signal)
      }
      return from + PART
    },
  } satisfies Implemented<RunBulkActivities>
}
