import type { Workflow } from '../engine/engine.port.ts'

type Input = { readonly mailId: string }

export interface DeliverMailActivities {
  /** Sends a mail, if it is still in the outbox, and removes it. Throws while the mail server is unavailable. */
  sendMail(input: Input): Promise<void>
}

/** Delivers a mail from the outbox. Retries until the mail is accepted, permanently rejected or expired. */
export const deliverMail: Workflow<DeliverMailActivities, Input> = {
  type: 'deliverMail',
  id: ({ mailId }) => `mail-${mailId}`,
  run: (ctx, input) => ctx.activities.sendMail(input),
}
