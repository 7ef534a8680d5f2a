import { createTransport } from 'nodemailer'
import type { Mailer } from '../../accounts/mailer.port.ts'

/** What nodemailer says of a failure: the server's reply code, and the command that it was the reply to. */
interface SmtpFailure {
  readonly responseCode?: number
  readonly command?: string
}

/** A permanent reply (RFC 5321: 5xx) about the recipient or the content; about us (login, sender), it may be put right. */
const isRefusal = ({ responseCode = 0, command = '' }: SmtpFailure) =>
  responseCode >= 500 && /^(RCPT TO|DATA)/.test(command)

/** Sends through an SMTP server: `smtp://user:password@host:587` (upgraded by STARTTLS) or `smtps://…:465`. */
export function createSmtpMailer(url: string, from: string): Mailer {
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
  const transport = createTransport({ url, pool: true, maxConnections: 4, ...timeouts })
  return {
    async send({ id, to, subject, text, html }) {
      // The same id each time: should one arrive twice, mail programs show it once.
      const messageId = `<${id}@${from.replace(/^.*@|>$/g, '')}>`
      // An address of our own making, so that a hostile one cannot name a second recipient.
      const envelope = { from, to: { name: '', address: to } }
      try {
        await transport.sendMail({
          ...envelope,
          subject,
          text,
          html,
          messageId,
          disableFileAccess: true,
          disableUrlAccess: true,
        })
        return 'sent'
      } catch (error) {
        if (isRefusal(error as SmtpFailure)) return 'refused'
        throw error
      }
    },
    async close() {
      transport.close()
    },
  }
}
