import type { Workflow } from '../engine/engine.port.ts'
import type { GenerateVideoInput } from './generateVideo.workflow.ts'

export interface RecoverVideoActivities {
  /** Stores the video if the job has finished. `pending`: the job is still running. `over`: the job has ended. */
  recover(input: GenerateVideoInput): Promise<'pending' | 'over'>
  endRecovery(input: GenerateVideoInput): Promise<void>
}

const MAX_POLLS = 48
const POLL_INTERVAL_MS = 30 * 60_000

/** Signals that the provider has called back about the job. */
export const HINT = 'hint'

/** Polls the job of a timed-out task for a day. A recovered video is free, because its credits were released. */
export const recoverVideo: Workflow<RecoverVideoActivities, GenerateVideoInput, void, { readonly taskId: string }> = {
  type: 'recoverVideo',
  id: ({ taskId }) => `recover-${taskId}`,
  async run(ctx, input) {
    for (let poll = 1; poll <= MAX_POLLS; poll++) {
      // The video may still arrive after an outage of its provider.
      if ((await ctx.activities.recover(input).catch(() => 'pending')) === 'over') break
      await ctx.signalled(HINT, POLL_INTERVAL_MS)
    }
    await ctx.activities.endRecovery(input)
  },
}
