import { pick, type Random } from '../generate.ts'

/** A request as it goes over the wire. */
export interface Structure {
  /** What is odd about it, for the report. */
  readonly what: string
  /** Written one after another, each in a turn of the server's event loop. */
  readonly pieces: readonly Buffer[]
  /**
   * How it ends. `answer`: it is complete, so the client waits for the answer. `end`: the client ends its side. `reset`: the
   * client ends the connection.
   */
  readonly ending: 'answer' | 'end' | 'reset'
}

/** Who sends a structure. */
export interface Sender {
  /** Address of its own, because limits count per network. */
  readonly network: string
  /** Cookies of an account. */
  readonly cookie: string
  /** API key of the account. */
  readonly key: string
  /** Token that opens a WebSocket. */
  readonly token: string
}

export type MakeStructure = (random: Random, sender: Sender) => Structure

/** Returns whether something is odd this time. Mostly not, so that what is odd beside it reaches deep. */
export const odd = (random: Random, share = 0.2): boolean => random() < share
export const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1))
export const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
export const noise = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)))

/** Returns the headers that every complete request has. */
export const headOf = (line: string, { network }: Pick<Sender, 'network'>): string[] => [
  line,
  'Host: localhost',
  `X-Forwarded-For: ${network}`,
  'Connection: close',
]

/** Frames a body: mostly right, otherwise with a wrong length, damaged chunks or an early end. */
export function framed(random: Random, what: string, head: readonly string[], body: Buffer): Structure {
  const whole = (lines: readonly string[], content: Buffer) =>
    Buffer.concat([bytes(`${[...head, ...lines].join('\r\n')}\r\n\r\n`), content])
  const exact = whole([`Content-Length: ${body.length}`], body)
  const kind = random()
  if (kind < 0.5) return { what, pieces: [exact], ending: 'answer' }
  if (kind < 0.6) return { what: `${what}, in pieces`, pieces: inPieces(random, exact), ending: 'answer' }
  if (kind < 0.7) {
    const chunks = Buffer.concat(inPieces(random, body).map((piece) => chunk(piece.length.toString(16), piece)))
    const all = whole(['Transfer-Encoding: chunked'], Buffer.concat([chunks, bytes('0\r\n\r\n')]))
    return { what: `${what}, in chunks`, pieces: [all], ending: 'answer' }
  }
  if (kind < 0.8) {
    const ending = pick(random, ['end', 'reset'] as const)
    const cut = exact.subarray(0, upTo(random, exact.length))
    return { what: `${what}, cut (${ending})`, pieces: inPieces(random, cut), ending }
  }
  const [name, lines, content] = pick(random, wrongFrames(random, body))
  const ending = pick(random, ['end', 'reset'] as const)
  return { what: `${what}, ${name} (${ending})`, pieces: [whole(lines, content)], ending }
}

const chunk = (size: string, content: Buffer) => Buffer.concat([bytes(`${size}\r\n`), content, bytes('\r\n')])

/** Splits bytes at up to four random places. None of the pieces is empty. */
export function inPieces(random: Random, whole: Buffer): Buffer[] {
  const cuts = Array.from({ length: upTo(random, 4) }, () => upTo(random, whole.length)).sort((a, b) => a - b)
  return [0, ...cuts].map((from, n) => whole.subarray(from, cuts[n] ?? whole.length)).filter(({ length }) => length > 0)
}

function wrongFrames(random: Random, body: Buffer): readonly (readonly [string, readonly string[], Buffer])[] {
  const length = (value: string | number) => `Content-Length: ${value}`
  const chunked = 'Transfer-Encoding: chunked'
  const size = body.length.toString(16)
  return [
    ['length too long', [length(body.length + 1 + upTo(random, 50_000))], body],
    ['length too short', [length(upTo(random, body.length))], body],
    ['no length', [], body],
    [
      'odd length',
      [length(pick(random, ['-1', '+4', '0x10', '4,4', '1e3', '', ' 4 4', '99999999999999999999']))],
      body,
    ],
    ['two lengths', [length(body.length), length(body.length + 1)], body],
    ['length and chunks', [length(body.length), chunked], body],
    ['unknown encoding', [`Transfer-Encoding: ${pick(random, ['gzip', 'chunked, gzip', 'x', 'identity'])}`], body],
    ['damaged chunk size', [chunked], chunk(pick(random, ['-1', 'g', 'ffffffffffffffff', '', '0x1']), body)],
    ['chunk without end', [chunked], chunk(size, body)],
    ['short chunk', [chunked], chunk((body.length + 9).toString(16), body)],
    ['chunk extension', [chunked], chunk(`${size};${'a'.repeat(upTo(random, 20_000))}`, body)],
    ['trailers', [chunked], Buffer.concat([chunk(size, body), bytes('0\r\nHost: x\r\nX: \0\r\n\r\n')])],
  ]
}
