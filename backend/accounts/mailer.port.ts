export type Mail = Readonly<{ to: string; subject: string; text: string; html: string }>

export interface OutgoingMail extends Mail {
  /** Identical for every attempt to send the email. */
  readonly id: string
  readonly userId: string
}

export interface Mailer {
  /** Sends an email. `refused` is a permanent failure. @throws Error on a temporary failure, which is retried */
  send(mail: OutgoingMail): Promise<'sent' | 'refused'>
  close(): Promise<void>
}
