import { createTransport } from 'nodemailer'
import { isLoopback } from '#backend/kernel/isLoopback.ts'
import { type Mailer, MailUnsent } from '../../accounts/mailer.port.ts'

/** Fields of a nodemailer error: the server's reply code and the command that failed. */
type SmtpFailure = Readonly<{ responseCode?: number; command?: string }>

/**
 * Returns whether the server permanently rejected the recipient or the content (5xx, RFC 5321). Rejections of the login
 * or the sender are not permanent: the operator can correct the configuration.
 */
const isRefusal = ({ responseCode = 0, command = '' }: SmtpFailure) =>
  responseCode >= 500 && /^(RCPT TO|DATA)/.test(command)

/**
 * Creates a mailer for an SMTP server: `smtps://…:465`, or `smtp://user:password@host:587`. The latter must offer
 * STARTTLS unless it is on this machine or the address says `?ignoreTLS=true`.
 */
export function createSmtpMailer(url: string, from: string): Mailer {
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
  const safe = { disableFileAccess: true, disableUrlAccess: true }
  const { hostname, searchParams } = new URL(url)
  const requireTLS = !isLoopback(hostname) && !searchParams.has('ignoreTLS')
  const transport = createTransport({ url, pool: true, maxConnections: 4, requireTLS, ...timeouts })
  return {
    async send({ id, to, subject, text, html, attachments = [] }) {
      // Email clients show messages with the same id only once, even if a retry delivers a second copy.
      const messageId = `<${id}@${from.replace(/^.*@|>$/g, '')}>`
      // Address objects are not parsed, so a malicious address cannot add a second recipient.
      const addresses = { from, to: { name: '', address: to } }
      try {
        const files = attachments.map((file) => ({ ...file, encoding: 'base64' }))
        await transport.sendMail({ ...addresses, ...safe, subject, text, html, messageId, attachments: files })
        return 'sent'
      } catch (error) {
        const failure = error as Error & SmtpFailure
        if (isRefusal(failure)) return { kind: 'refused', answer: failure.message }
        throw new MailUnsent(failure.message, failure.responseCode, failure)
      }
    },
    async close() {
      transport.close()
    },
  }
}
