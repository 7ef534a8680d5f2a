import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A test double of a mail server. Its replies are compared with those of a real one in recordings.int.spec.ts. */
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

interface TestMailServerOptions {
  /** Certificate and key: the server then requires STARTTLS. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Largest mail, in bytes. */
  readonly size?: number
  /** A text with this word is refused. */
  readonly refusedText?: string
}

const refusal = (responseCode: number) => Object.assign(new Error('refused'), { responseCode })

/** Creates a stopped mail server. It keeps its port across restarts. */
export function createTestMailServer({ tls, size, refusedText }: TestMailServerOptions = {}): TestMailServer {
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
        ...(tls ?? { disabledCommands: ['STARTTLS'] }),
        ...(size && { size }),
        disableReverseLookup: true,
        // Stop without waiting for the idle connections that clients keep open.
        closeTimeout: 100,
        onMailFrom: (_address, { secure }, callback) => callback(tls && !secure ? refusal(530) : null),
        onRcptTo({ address }, _session, callback) {
          mails.asked.push(address)
          const responseCode = mails.answer(address)
          callback(responseCode ? refusal(responseCode) : null)
        },
        onData(stream, _session, callback) {
          const take = (mail: string) => {
            if (mails.hangs) return
            if (stream.sizeExceeded) return callback(refusal(552))
            if (refusedText && mail.includes(refusedText)) return callback(refusal(554))
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
