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

export interface Mailer {
  /** Sends an email. `refused` is a permanent failure. @throws Error on a temporary failure, which is retried */
  send(mail: OutgoingMail): Promise<'sent' | 'refused'>
  close(): Promise<void>
}
