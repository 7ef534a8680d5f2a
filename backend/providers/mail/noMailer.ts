import type { Mailer } from '../../accounts/mailer.port.ts'

/** Creates the mailer of an installation without a mail server, which drops emails that an earlier configuration queued. */
export const createNoMailer = (): Mailer => ({
  send: async () => ({ kind: 'refused', answer: 'no mail server is configured' }),
  close: async () => {},
})
