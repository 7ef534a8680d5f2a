import type { Workflow } from '../engine/engine.port.ts'

export interface DeliverMailInput {
  readonly mailId: string
}

export interface DeliverMailActivities {
  /** Sends the mail and forgets it; does nothing when that was done. Throws as long as the mail server cannot be reached. */
  sendMail(input: DeliverMailInput): Promise<void>
}

/** A mail's way out of the outbox. It is tried again until it is taken, refused for good, or too old to be of use. */
export const deliverMail: Workflow<DeliverMailActivities, DeliverMailInput> = {
  type: 'deliverMail',
  id: ({ mailId }) => `mail-${mailId}`,
  run: (ctx, input) => ctx.activities.sendMail(input),
}
