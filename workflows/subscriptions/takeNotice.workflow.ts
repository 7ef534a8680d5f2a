import type { Workflow } from '../engine/engine.port.ts'

export interface TakeNoticeInput {
  readonly noticeId: string
}

export interface TakeNoticeActivities {
  /** Reads a notice of the payment provider. `later`: what it is about is not known yet. */
  readNotice(input: TakeNoticeInput): Promise<'read' | 'later'>
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60 * 60_000

/** From a webhook to what is known of a subscription. One that came before what it is about is looked at again, for days. */
export const takeNotice: Workflow<TakeNoticeActivities, TakeNoticeInput> = {
  type: 'takeNotice',
  id: ({ noticeId }) => `notice-${noticeId}`,
  async run(ctx, input) {
    for (let wait = FIRST_WAIT_MS; (await ctx.activities.readNotice(input)) === 'later'; wait *= 2)
      await ctx.sleep(Math.min(wait, LONGEST_WAIT_MS))
  },
}
