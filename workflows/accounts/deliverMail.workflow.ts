import type { Workflow } from '../engine/engine.port.ts'

type Input = { readonly mailId: string }

export interface DeliverMailActivities {
  /** Moves an email that an earlier release queued to the outbox. */
  sendMail(input: Input): Promise<void>
}

/**
 * Takes over an email of an earlier release, which sends what it queues by this workflow. There is one run for an email, here
 * or there, so none is sent twice. See docs/decisions/0085-mail-in-the-one-outbox.md.
 */
export const deliverMail: Workflow<DeliverMailActivities, Input> = {
  type: 'deliverMail',
  id: ({ mailId }) => `mail-${mailId}`,
  run: (ctx, input) => ctx.activities.sendMail(input),
}
