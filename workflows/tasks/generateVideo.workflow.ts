import type { FailureCode } from '#backend/tasks/contract.ts'
import type { Workflow } from '../engine/engine.port.ts'

export interface GenerateVideoInput {
  readonly taskId: string
  readonly userId: string
}

export type Turn = 'claimed' | 'waiting' | 'over'
export type RenderOutcome =
  | { readonly kind: 'finished' }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly detail: string }
  /** The task was over before it began. */
  | { readonly kind: 'over' }

/** Each is idempotent against the task's events: asked twice, it acts once. */
export interface GenerateVideoActivities {
  /** Asks for the user's turn. `over`: the task was cancelled, or waited too long. */
  claimSlot(input: GenerateVideoInput): Promise<Turn>
  /** Asks the provider and looks at the job until it has an answer, or until its time is up. */
  render(input: GenerateVideoInput): Promise<RenderOutcome>
  /** Copies the file to our storage, checks it, makes its still, and ends the task. */
  store(input: GenerateVideoInput): Promise<void>
  fail(input: GenerateVideoInput & { code: FailureCode; detail: string }): Promise<void>
  /** Captures the credits of a success, releases those of anything else. */
  settleCredits(input: GenerateVideoInput): Promise<void>
  releaseSlot(input: GenerateVideoInput): Promise<void>
}

/** The signal that says: your turn may have come, or the task may be over. Look again. */
export const TURN = 'turn'

/** From a submitted task to its end. Whatever happens, the credits are settled and the slot is released. */
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
        if (finished) await act.store(input)
        if (outcome.kind === 'failed') await act.fail({ ...input, code: outcome.code, detail: outcome.detail })
      } catch {
        // A finished video that could not be fetched may still be, like any that comes late.
        const code = finished ? 'render_timed_out' : 'internal'
        await act.fail({ ...input, code, detail: 'An activity failed each time it was tried.' })
      }
    }
    await act.settleCredits(input)
    await act.releaseSlot(input)
  },
}
