import type { Attempt } from '../../kernel/outbox/outbox.ts'
import type { Channel } from '../../kernel/outbox/runOutbox.ts'
import { type Mailer, MailUnsent } from '../mailer.port.ts'
import type { Outbox } from './outbox.ts'

/** Longest wait between attempts, which end with the email: an outage of a day loses none, and ends within this time. */
const MAX_WAIT_MS = 30_000
const MAX_ANSWER = 1_024

interface MailChannel {
  readonly mails: Pick<Outbox, 'open'>
  readonly mailer: Pick<Mailer, 'send'>
  readonly onError: (error: unknown, mailId: string) => void
}

/** Creates what sends emails until the server takes or rejects them, or they expire. Their target is the mail server. */
export const createMailChannel = ({ mails, mailer, onError }: MailChannel): Channel => ({
  async send(message): Promise<Attempt> {
    const mail = mails.open(message)
    if (!mail) return { outcome: 'refused', fault: 'expired' }
    try {
      const result = await mailer.send(mail)
      if (result === 'sent') return { outcome: 'sent' }
      onError(new Error(result.answer), message.id)
      return { outcome: 'refused', answer: result.answer.slice(0, MAX_ANSWER) }
    } catch (error) {
      if (!(error instanceof MailUnsent)) throw error
      onError(error, message.id)
      const answer = error.message.slice(0, MAX_ANSWER)
      // A server that is away would fail the others, too.
      if (error.status === undefined) return { outcome: 'failed', fault: 'connection', answer, pausesTarget: true }
      return { outcome: 'failed', status: error.status, answer }
    }
  },
  wait: (attempts) => Math.min(MAX_WAIT_MS, 1_000 * 2 ** Math.min(attempts - 1, 5)),
})
