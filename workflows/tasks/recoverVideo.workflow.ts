import type { Workflow } from '../engine/engine.port.ts'
import type { GenerateVideoInput } from './generateVideo.workflow.ts'

export interface RecoverVideoActivities {
  /** `pending`: the provider has no answer yet; `over`: it has, and the user has the video, or none will come. */
  recover(input: GenerateVideoInput): Promise<'pending' | 'over'>
  endRecovery(input: GenerateVideoInput): Promise<void>
}

const LOOKS = 48
const BETWEEN_LOOKS_MS = 30 * 60_000

/** The signal that says: the provider has told something of the job. Look now. */
export const HINT = 'hint'

/** After a time-out the user has the credits back; should the provider finish within a day, the video comes free. */
export const recoverVideo: Workflow<RecoverVideoActivities, GenerateVideoInput, void, { readonly taskId: string }> = {
  type: 'recoverVideo',
  id: ({ taskId }) => `recover-${taskId}`,
  async run(ctx, input) {
    for (let look = 1; look <= LOOKS; look++) {
      if ((await ctx.activities.recover(input)) === 'over') break
      await ctx.signalled(HINT, BETWEEN_LOOKS_MS)
    }
    await ctx.activities.endRecovery(input)
  },
}
