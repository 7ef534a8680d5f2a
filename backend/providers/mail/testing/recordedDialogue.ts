import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { connect as connectTls } from 'node:tls'

/** Largest mail that the servers take, in bytes. */
export const SIZE_LIMIT = 10_000
/** The servers refuse a text with this word. */
export const REFUSED_TEXT = 'buy-now'

/** Reply codes by what was sent. For EHLO, also the extensions that Kinora's client reads. */
export type Dialogue = Readonly<Record<string, string>>

/** A connection on which one command at a time is answered. */
function talk(socket: Socket) {
  const lines = createInterface(socket)[Symbol.asyncIterator]()
  /** Reads a reply of one or several lines (RFC 5321, section 4.2.1). */
  const reply = async () => {
    const read: string[] = []
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('The server has closed the connection.')
      read.push(value)
      if (!/^\d{3}-/.test(value)) return read
    }
  }
  return {
    socket,
    reply,
    send(text: string) {
      socket.write(`${text}\r\n`)
      return reply()
    },
  }
}
type Talk = ReturnType<typeof talk>

const codeOf = (lines: readonly string[]) => lines.at(-1)!.slice(0, 3)
const greeting = (lines: readonly string[]) =>
  [codeOf(lines), ...['STARTTLS', 'SIZE'].filter((name) => lines.some((line) => line.slice(4).startsWith(name)))].join(
    ' ',
  )

async function upgraded({ socket }: Talk): Promise<Talk> {
  // The certificate is not what is recorded.
  const secure = connectTls({ socket, rejectUnauthorized: false })
  await once(secure, 'secureConnect')
  return talk(secure)
}

/** Talks to a mail server and returns its answers by what was sent. @param port its port on this machine */
export async function recordDialogue(port: number): Promise<Dialogue> {
  const answers: Record<string, string> = {}
  const plain = talk(connect(port, '127.0.0.1'))
  const note = async (name: string, lines: Promise<readonly string[]>, read = codeOf) => {
    answers[name] = read(await lines)
  }
  const from = 'MAIL FROM:<hello@kinora.test>'
  await note('the connection', plain.reply())
  await note('EHLO', plain.send('EHLO kinora.test'), greeting)
  await note('MAIL before STARTTLS', plain.send(from))
  await note('STARTTLS', plain.send('STARTTLS'))
  const { socket, send } = await upgraded(plain)
  await note('EHLO after STARTTLS', send('EHLO kinora.test'), greeting)
  await note('RCPT before MAIL', send('RCPT TO:<ada@kinora.test>'))
  await note('MAIL above the size limit', send(`${from} SIZE=${SIZE_LIMIT + 1}`))
  await note('MAIL', send(`${from} SIZE=500`))
  await note('DATA before RCPT', send('DATA'))
  await note('RCPT, greylisted', send('RCPT TO:<grey@kinora.test>'))
  await note('RCPT, unknown', send('RCPT TO:<unknown@kinora.test>'))
  await note('RCPT', send('RCPT TO:<ada@kinora.test>'))
  await note('DATA', send('DATA'))
  await note('a text', send('Subject: Hello\r\n\r\nHello\r\n.'))
  const another = async (name: string, text: string) => {
    for (const command of [from, 'RCPT TO:<ada@kinora.test>', 'DATA']) await send(command)
    await note(name, send(`Subject: Hello\r\n\r\n${text}\r\n.`))
  }
  await another('a text that is refused', REFUSED_TEXT)
  await another('a text above the size limit', `${'x'.repeat(70)}\r\n`.repeat(SIZE_LIMIT / 50))
  await note('RSET', send('RSET'))
  await note('NOOP', send('NOOP'))
  await note('an unknown command', send('HELLO'))
  await note('QUIT', send('QUIT'))
  socket.destroy()
  return answers
}
