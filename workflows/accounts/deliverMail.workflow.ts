import type { Workflow } from '../engine/engine.port.ts'

type Input = { readonly mailId: string }

export interface DeliverMailActivities {
  /** Sends an email if it is still in the outbox, then removes it. Throws if the mail server is unavailable. */
  sendMail(input: Input): Promise<void>
}

/** Delivers an email from the outbox. Retries until the email is accepted, permanently rejected or expired. */
export const deliverMail: Workflow<DeliverMailActivities, Input> = {
  type: 'deliverMail',
  id: ({ mailId }) => `mail-${mailId}`,
  run: (ctx, input) => ctx.activities.sendMail(input),
}
