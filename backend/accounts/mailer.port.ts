export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface OutgoingMail extends Mail {
  /** The same each time that sending is tried. */
  readonly id: string
  readonly userId: string
}

/** Sends a mail, or keeps it where it can be read. */
export interface Mailer {
  /** `refused`: it will never be taken. What is thrown is tried again. */
  send(mail: OutgoingMail): Promise<'sent' | 'refused'>
  close(): Promise<void>
}
