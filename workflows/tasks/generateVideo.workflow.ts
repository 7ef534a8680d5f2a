import type { FailureCode } from '#backend/tasks/contract.ts'
import type { Workflow } from '../engine/engine.port.ts'

/** `userId`: who pays, whose render lane the task uses. */
export type GenerateVideoInput = Readonly<{ taskId: string; userId: string }>

export type Turn = 'claimed' | 'waiting' | 'over'
export type RenderOutcome =
  | { readonly kind: 'finished' }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly detail: string }
  /** The task ended before it was rendered. */
  | { readonly kind: 'over' }

/** Every activity is idempotent, because its effects depend on the task's events. */
export interface GenerateVideoActivities {
  /** Claims a slot of the user's render lane. `over`: the task was cancelled or has waited too long. */
  claimSlot(input: GenerateVideoInput): Promise<Turn>
  /** Creates a job at the provider and polls it until it ends or 30 minutes have passed. */
  render(input: GenerateVideoInput): Promise<RenderOutcome>
  /**
   * Downloads and checks the file, stores it with a poster image, and ends the task. Returns `settled` if the credits were
   * captured and the slot released along with it.
   */
  store(input: GenerateVideoInput): Promise<'settled' | undefined>
  fail(input: GenerateVideoInput & { code: FailureCode; detail: string }): Promise<void>
  /** Captures the credits of a successful task; releases them otherwise. */
  settleCredits(input: GenerateVideoInput): Promise<void>
  releaseSlot(input: GenerateVideoInput): Promise<void>
}

/** Signals that a slot may be free or that the task may have ended. */
export const TURN = 'turn'

/** Runs a submitted task until it ends. Whatever the outcome, settles the credits and releases the slot. */
export const generateVideo: Workflow<GenerateVideoActivities, GenerateVideoInput> = {
  type: 'generateVideo',
  id: ({ taskId }) => taskId,
  async run(ctx, input) {
    const act = ctx.activities
    let turn = await act.claimSlot(input)
    while (turn === 'waiting') {
      await ctx.signalled(TURN, 60_000)
      turn = await act.claimSlot(input)
    }
    if (turn === 'claimed') {
      let finished = false
      try {
        const outcome = await act.render(input)
        finished = outcome.kind === 'finished'
        if (finished && (await act.store(input)) === 'settled') return
        if (outcome.kind === 'failed') await act.fail({ ...input, code: outcome.code, detail: outcome.detail })
      } catch {
        // The recovery may still download a finished video, as it does after a timeout.
        const code = finished ? 'render_timed_out' : 'internal'
        await act.fail({ ...input, code, detail: 'An activity failed each time it was tried.' })
      }
    }
    await act.settleCredits(input)
    await act.releaseSlot(input)
  },
}
