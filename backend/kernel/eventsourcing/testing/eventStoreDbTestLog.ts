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

/** An in-memory log with the server's rules for expected revisions. Test servers of a cluster share one. */
export class EventStoreDbTestLog {
  readonly all: LoggedEvent[] = []
  readonly #streams = new Map<string, LoggedEvent[]>()
  readonly #waiting = new Set<() => void>()
  /** Position of the next event. As in the real server, positions are byte offsets. */
  #tail = 64n

  stream(name: string): readonly LoggedEvent[] {
    return this.#streams.get(name) ?? []
  }

  /** Appends by the rules of the server's `IndexWriter.CheckCommit`, for streams that are never deleted. */
  append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Outcome {
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

  #write(stream: string, events: readonly ProposedEvent[]): Outcome {
    const existing = this.#streams.get(stream) ?? []
    this.#streams.set(stream, existing)
    for (const event of events) {
      const logged = { ...event, stream, revision: existing.length, position: this.#tail, created: Date.now() }
      this.#tail += BigInt(96 + event.data.length + event.meta.length)
      existing.push(logged)
      this.all.push(logged)
    }
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
    return repeated(existing.at(-1)!)
  }
}

function repeated({ revision, position }: LoggedEvent): Outcome {
  return { written: true, revision, position }
}
