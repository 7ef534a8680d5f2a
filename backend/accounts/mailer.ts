export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Sends a mail, or keeps it where it can be read. */
export interface Mailer {
  send(mail: Mail): Promise<void>
}
