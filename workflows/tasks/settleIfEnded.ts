import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { isUnreadable } from '#backend/kernel/eventsourcing/quarantine.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { isEnded } from '#backend/tasks/videoTask.rules.ts'
import type { Implemented } from '../engine/engine.port.ts'
import type { GenerateVideoActivities } from './generateVideo.workflow.ts'
import type { SettleIfEnded } from './taskTriggers.ts'

type Settling = Pick<Implemented<GenerateVideoActivities>, 'settleCredits' | 'releaseSlot'>

const context = { signal: new AbortController().signal }

/**
 * Settles the credits and the slot of a task that ended before its workflow started, without starting one. A task whose
 * streams are quarantined counts as not ended: its workflow retries with backoff.
 */
export const createSettleIfEnded =
  (handle: Handle, { settleCredits, releaseSlot }: Settling): SettleIfEnded =>
  async (input) => {
    try {
      // A task that another process has just ended gets a workflow, which settles it.
      const { state } = await handle.peek(videoTask, input.taskId)
      if (!isEnded(state)) return 'provider' in state ? 'in progress' : 'waiting'
      await settleCredits(input, context)
      await releaseSlot(input, context)
      return 'ended'
    } catch (error) {
      if (isUnreadable(error)) return 'waiting'
      throw error
    }
  }
