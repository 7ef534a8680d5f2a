import type { Decider } from '../kernel/eventsourcing/pure/decider.ts'
import { type EndedIds, hasEnded, noEndedIds, weightOfEnded, withEnded } from '../kernel/eventsourcing/pure/endedIds.ts'
import { RENDER_LANE, RENDER_LANE_EVENTS, type RenderLaneEvent } from './events.ts'

export interface RenderLane {
  /** Task ids in request order. */
  readonly waiting: readonly string[]
  readonly holding: readonly string[]
  readonly released: EndedIds
}

export type RenderLaneCommand =
  | {
      readonly type: 'ClaimSlot'
      readonly userId: string
      readonly taskId: string
      /** Maximum number of the user's tasks that may render at the same time. */
      readonly limit: number
      readonly at: string
    }
  /** `AskSlot` takes the task's place in the queue when it is submitted, whenever its workflow starts. */
  | {
      readonly type: 'AskSlot' | 'ReleaseSlot'
      readonly userId: string
      readonly taskId: string
      readonly at: string
    }

const without = (ids: readonly string[], id: string) => ids.filter((each) => each !== id)

function evolve(lane: RenderLane, event: RenderLaneEvent): RenderLane {
  const { taskId } = event.data
  const { waiting, holding, released } = lane
  switch (event.type) {
    case 'RenderSlotAsked':
      return { ...lane, waiting: [...waiting, taskId] }
    case 'RenderSlotClaimed':
      return { ...lane, waiting: without(waiting, taskId), holding: [...holding, taskId] }
    case 'RenderSlotReleased':
      return {
        waiting: without(waiting, taskId),
        holding: without(holding, taskId),
        released: withEnded(released, taskId),
      }
  }
}

function decide(command: RenderLaneCommand, lane: RenderLane): readonly RenderLaneEvent[] {
  const { userId, taskId, at } = command
  const data = { userId, taskId, at }
  const place = lane.waiting.indexOf(taskId)
  const isHolding = lane.holding.includes(taskId)
  if (place < 0 && !isHolding && hasEnded(lane.released, taskId)) return []
  if (command.type === 'ReleaseSlot') return [{ type: 'RenderSlotReleased', data }]
  if (isHolding) return []
  const ahead = place < 0 ? lane.waiting.length : place
  const asked: RenderLaneEvent[] = place < 0 ? [{ type: 'RenderSlotAsked', data }] : []
  if (command.type !== 'ClaimSlot') return asked
  const isFree = lane.holding.length + ahead < command.limit
  const claimed: RenderLaneEvent[] = isFree ? [{ type: 'RenderSlotClaimed', data }] : []
  return [...asked, ...claimed]
}

/** A FIFO semaphore per user, limited by the user's plan. */
export const renderLane: Decider<RenderLane, RenderLaneCommand, RenderLaneEvent> = {
  category: RENDER_LANE,
  schemas: RENDER_LANE_EVENTS,
  initial: { waiting: [], holding: [], released: noEndedIds },
  evolve,
  decide,
  snapshotVersion: 1,
  weight: ({ released }) => weightOfEnded(released),
}
