import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** An SMTP server for tests. */
export interface TestMailServer {
  readonly url: string
  /** Accepted emails, as received. */
  readonly taken: string[]
  /** The recipient of every RCPT TO command. */
  readonly asked: string[]
  /** Returns the reply code for a recipient, such as 550 or 451; undefined accepts the email. */
  answer: (recipient: string) => number | undefined
  /** Whether the server stops responding after it has received the text of an email. */
  hangs: boolean
  start(): Promise<void>
  stop(): Promise<void>
}

/** Creates a stopped mail server. It keeps its port across restarts. */
export function createTestMailServer(): TestMailServer {
  let server: SMTPServer | undefined
  let port = 0
  const mails: TestMailServer = {
    get url() {
      return `smtp://127.0.0.1:${port}`
    },
    taken: [],
    asked: [],
    answer: () => undefined,
    hangs: false,

    async start() {
      server = new SMTPServer({
        authOptional: true,
        disabledCommands: ['STARTTLS'],
        disableReverseLookup: true,
        // Stop without waiting for the idle connections that clients keep open.
        closeTimeout: 100,
        onRcptTo({ address }, _session, callback) {
          mails.asked.push(address)
          const responseCode = mails.answer(address)
          callback(responseCode ? Object.assign(new Error('recipient refused'), { responseCode }) : null)
        },
        onData(stream, _session, callback) {
          const take = (mail: string) => {
            if (mails.hangs) return
            mails.taken.push(mail)
            callback()
          }
          // A killed client leaves an incomplete email, which is dropped.
          text(stream).then(take, () => {})
        },
      })
      // Killed clients reset their connections.
      server.on('error', () => {})
      const listening = server.listen(port, '127.0.0.1')
      await new Promise((resolve) => listening.once('listening', resolve))
      port = (listening.address() as AddressInfo).port
    },

    stop: () => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())),
  }
  return mails
}
