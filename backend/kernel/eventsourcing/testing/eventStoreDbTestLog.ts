import { appendFileSync, closeSync, openSync, readSync } from 'node:fs'

/** An event as the test server stores it. */
export interface LoggedEvent extends ProposedEvent {
  readonly stream: string
  readonly revision: number
  readonly position: bigint
  readonly created: number
}

export interface ProposedEvent {
  readonly id: string
  readonly type: string
  readonly json: boolean
  readonly data: Uint8Array
  readonly meta: Uint8Array
}

export type ExpectedRevision = 'any' | 'no_stream' | 'stream_exists' | number

/** Revision and position of the last event written, or on a conflict the current revision (-1 without a stream). */
export type Outcome = { written: true; revision: number; position: bigint } | { written: false; current: number }

/**
 * A log with the server's rules for expected revisions. Test servers of a cluster share one: in memory within a process,
 * or in a file that survives a killed process.
 */
export class EventStoreDbTestLog {
  readonly all: LoggedEvent[] = []
  /** Milliseconds by which the server's clock is ahead. */
  ahead = 0
  readonly #file: string | undefined
  /** Number of bytes read from the file. */
  #read = 0
  readonly #streams = new Map<string, LoggedEvent[]>()
  readonly #waiting = new Set<() => void>()
  /** Position of the next event. As in the real server, positions are byte offsets. */
  #tail = 64n

  constructor(file?: string) {
    this.#file = file
    this.sync()
  }

  /** Position that the next event will have. */
  get end(): bigint {
    return this.#tail
  }

  stream(name: string): readonly LoggedEvent[] {
    return this.#streams.get(name) ?? []
  }

  /** Appends by the rules of the server's `IndexWriter.CheckCommit`, for streams that are never deleted. */
  append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Outcome {
    this.sync()
    const existing = this.stream(stream)
    const current = existing.length - 1
    const conflict: Outcome = { written: false, current }
    if (expected === 'stream_exists' && current < 0) return conflict
    if (expected === 'any' || expected === 'stream_exists') {
      const known = events.map(({ id }) => existing.find((event) => event.id === id))
      if (known.every((event) => event !== undefined)) return repeated(known.at(-1)!)
      if (known[0]) return conflict
      return this.#write(stream, events)
    }
    const wanted = expected === 'no_stream' ? -1 : expected
    if (wanted === current) return this.#write(stream, events)
    const standing = existing.slice(wanted + 1, wanted + 1 + events.length)
    const same = wanted < current && events.every(({ id }, index) => standing[index]?.id === id)
    return same ? repeated(standing.at(-1)!) : conflict
  }

  /** Resolves when the next event is appended. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve))
  }

  #write(stream: string, events: readonly ProposedEvent[], persist = true): Outcome {
    const existing = this.#streams.get(stream) ?? []
    this.#streams.set(stream, existing)
    for (const event of events) {
      const logged = {
        ...event,
        stream,
        revision: existing.length,
        position: this.#tail,
        created: Date.now() + this.ahead,
      }
      this.#tail += BigInt(96 + event.data.length + event.meta.length)
      existing.push(logged)
      this.all.push(logged)
    }
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
    if (persist && this.#file) this.#read += appendLine(this.#file, stream, events)
    return repeated(existing.at(-1)!)
  }

  /** Reads the events that other processes have appended to the file. */
  sync(): void {
    if (!this.#file) return
    const text = readFrom(this.#file, this.#read)
    // A killed process may have left an unfinished line.
    for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
      this.#read += Buffer.byteLength(line)
      if (line === '') continue
      this.#read++
      const { stream, events } = JSON.parse(line) as Line
      this.#write(stream, events.map(decoded), false)
    }
  }
}

interface Line {
  readonly stream: string
  readonly events: readonly (Omit<ProposedEvent, 'data' | 'meta'> & { readonly data: string; readonly meta: string })[]
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const decoded = ({ data, meta, ...event }: Line['events'][number]): ProposedEvent => ({
  ...event,
  data: Buffer.from(data, 'base64'),
  meta: Buffer.from(meta, 'base64'),
})

function appendLine(file: string, stream: string, events: readonly ProposedEvent[]): number {
  const encoded = events.map((event) => ({ ...event, data: base64(event.data), meta: base64(event.meta) }))
  const line = `${JSON.stringify({ stream, events: encoded } satisfies Line)}\n`
  appendFileSync(file, line)
  return Buffer.byteLength(line)
}

function readFrom(file: string, start: number): string {
  const handle = openSync(file, 'a+')
  try {
    const parts: Buffer[] = []
    for (let at = start; ; ) {
      const part = Buffer.alloc(1 << 16)
      const size = readSync(handle, part, 0, part.length, at)
      if (size === 0) return Buffer.concat(parts).toString('utf8')
      parts.push(part.subarray(0, size))
      at += size
    }
  } finally {
    closeSync(handle)
  }
}

function repeated({ revision, position }: LoggedEvent): Outcome {
  return { written: true, revision, position }
}
