import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A mail server of the tests that speaks real SMTP. */
export interface TestMailServer {
  readonly url: string
  /** What was taken, as it came over the wire. */
  readonly taken: string[]
  /** Every time a recipient was named. */
  readonly asked: string[]
  /** The reply about a recipient, such as 550 or 451; undefined takes the mail. */
  answer: (recipient: string) => number | undefined
  /** Whether mails are left without an answer once their text is there. */
  hangs: boolean
  start(): Promise<void>
  stop(): Promise<void>
}

/** A mail server that is not started yet; it keeps its port over stops and starts. */
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
        // Clients keep their connections open for the next mail.
        closeTimeout: 100,
        onRcptTo({ address }, _session, callback) {
          mails.asked.push(address)
          const responseCode = mails.answer(address)
          callback(responseCode ? Object.assign(new Error('not this one'), { responseCode }) : null)
        },
        onData(stream, _session, callback) {
          const take = (mail: string) => {
            if (mails.hangs) return
            mails.taken.push(mail)
            callback()
          }
          // A client that is killed in the middle has said nothing.
          text(stream).then(take, () => {})
        },
      })
      // Clients that are killed are no fault of the server.
      server.on('error', () => {})
      const listening = server.listen(port, '127.0.0.1')
      await new Promise((resolve) => listening.once('listening', resolve))
      port = (listening.address() as AddressInfo).port
    },

    stop: () => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())),
  }
  return mails
}
