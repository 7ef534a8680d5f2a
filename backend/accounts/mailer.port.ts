export type Mail = Readonly<{ to: string; subject: string; text: string; html: string }>

export interface OutgoingMail extends Mail {
  /** The same for every attempt to send the mail. */
  readonly id: string
  readonly userId: string
}

export interface Mailer {
  /** Sends a mail. `refused` is permanent; an error is temporary, and the mail is sent again later. */
  send(mail: OutgoingMail): Promise<'sent' | 'refused'>
  close(): Promise<void>
}
