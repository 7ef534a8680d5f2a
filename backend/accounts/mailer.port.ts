/** A file in base64. */
type Attachment = Readonly<{ filename: string; contentType: string; content: string }>

export type Mail = Readonly<{
  to: string
  subject: string
  text: string
  html: string
  attachments?: readonly Attachment[]
}>

export interface OutgoingMail extends Mail {
  /** Identical for every attempt to send the email. */
  readonly id: string
  /** The account that the email is about, so that its erasure deletes the email; null if there is none. */
  readonly userId: string | null
}

export interface MailRefused {
  readonly kind: 'refused'
  /** What the server answered. */
  readonly answer: string
}

/** What a mail server answered; without a `status` if it cannot be reached. */
export class MailUnsent extends Error {
  override name = 'MailUnsent'
  readonly status: number | undefined

  constructor(message: string, status: number | undefined, cause: unknown) {
    super(message, { cause })
    this.status = status
  }
}

export interface Mailer {
  /** Sends an email. `refused` is a permanent failure. @throws MailUnsent on a temporary failure, which is retried */
  send(mail: OutgoingMail): Promise<'sent' | MailRefused>
  close(): Promise<void>
}
