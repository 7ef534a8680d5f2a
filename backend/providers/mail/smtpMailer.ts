import { createTransport } from 'nodemailer'
import type { Mailer } from '../../accounts/mailer.port.ts'

/** The fields of a nodemailer error: the server's reply code and the command that it answers. */
type SmtpFailure = Readonly<{ responseCode?: number; command?: string }>

/**
 * A permanent failure (RFC 5321: 5xx) of the recipient or the content. Failures of login or sender are not: the operator
 * can correct the configuration.
 */
const isRefusal = ({ responseCode = 0, command = '' }: SmtpFailure) =>
  responseCode >= 500 && /^(RCPT TO|DATA)/.test(command)

/** Sends mails through an SMTP server: `smtp://user:password@host:587` (upgraded by STARTTLS) or `smtps://…:465`. */
export function createSmtpMailer(url: string, from: string): Mailer {
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
  const safe = { disableFileAccess: true, disableUrlAccess: true }
  const transport = createTransport({ url, pool: true, maxConnections: 4, ...timeouts })
  return {
    async send({ id, to, subject, text, html }) {
      // Mail programs show mails with the same id once, even if a retry delivers it twice.
      const messageId = `<${id}@${from.replace(/^.*@|>$/g, '')}>`
      // An address object is not parsed, so a hostile address cannot add a second recipient.
      const addresses = { from, to: { name: '', address: to } }
      try {
        await transport.sendMail({ ...addresses, ...safe, subject, text, html, messageId })
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
