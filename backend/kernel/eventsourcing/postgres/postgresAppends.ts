import pg from 'pg'
import { backoff, pause } from '../../backoff.ts'
import type { EncodedEvent } from '../encodeEvents.ts'
import { type Appended, AppendOutcomeUnknown, ConcurrencyConflict, type Expected } from '../eventStore.port.ts'
import { appendSetSql } from './postgresEventStore.sql.ts'
import { toGlobalPosition } from './postgresRows.ts'

interface Append {
  readonly stream: string
  readonly expected: Expected
  readonly events: readonly EncodedEvent[]
}

interface Waiting extends Append {
  resolve(appended: Appended): void
  reject(error: unknown): void
}

interface AnswerRow {
  readonly stored: boolean
  readonly revision: string
  readonly position: string | null
}

const maxAppends = 200
const maxBytes = 4_000_000
/** About three seconds with their pauses: longer than a connection's reset, shorter than a caller's patience. */
const attempts = 6
const queryTimeout = 15_000

/**
 * Sends appends to Postgres. Whatever was asked for while the last commit was under way goes out as one statement: under
 * load a commit is shared by many, without load nothing waits.
 */
export class PostgresAppends {
  readonly #pool: pg.Pool
  readonly #stored: () => void
  #waiting: Waiting[] = []
  #draining: Promise<void> | undefined

  constructor(pool: pg.Pool, stored: () => void) {
    this.#pool = pool
    this.#stored = stored
  }

  append(append: Append): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...append, resolve, reject })
      this.#draining ??= Promise.resolve().then(() => this.#drain())
    })
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#draining
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#send(this.#takeBatch())
    this.#draining = undefined
  }

  /** One append of a stream at most: the statement looks at each stream once. The others keep their order. */
  #takeBatch(): Waiting[] {
    const batch: Waiting[] = []
    const later: Waiting[] = []
    const streams = new Set<string>()
    let bytes = 0
    for (const append of this.#waiting) {
      const full = batch.length >= maxAppends || bytes >= maxBytes
      const target = full || streams.has(append.stream) ? later : batch
      target.push(append)
      streams.add(append.stream)
      if (target === batch) bytes += append.events.reduce((sum, event) => sum + event.bytes, 0)
    }
    this.#waiting = later
    return batch
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.#ask(toJson(batch))
      for (const [index, append] of batch.entries()) answer(append, rows[index]!)
      this.#stored()
    } catch (error) {
      // One that Postgres refuses must fail alone, and the rest of its batch must not.
      if (batch.length > 1 && isRefusal(error)) for (const append of batch) await this.#send([append])
      else for (const append of batch) append.reject(reason(append, error))
    }
  }

  /** A lost connection leaves open whether the events were stored; asking again with the same ids is safe. */
  async #ask(json: string): Promise<readonly AnswerRow[]> {
    const query = { ...appendSetSql, values: [json], query_timeout: queryTimeout }
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#pool.query<AnswerRow>(query)).rows
      } catch (error) {
        if (isRefusal(error) || attempt === attempts) throw error
        await pause(backoff(attempt))
      }
    }
  }
}

/** Postgres read the statement and said no. All else is a connection or a server that went away. */
export function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(08|53|57P|25006|40)/.test(error.code ?? '')
}

/** The events are JSON texts already; taking them in as they are spares a parse and a print of each. */
function toJson(batch: readonly Append[]): string {
  const appends = batch.map(({ stream, expected, events }) => {
    const each = events.map(
      ({ id, type, data, meta }) => `{"id":"${id}","type":${JSON.stringify(type)},"data":${data},"meta":${meta}}`,
    )
    const revision = expected === 'any' ? null : expected === 'no_stream' ? -1 : expected
    return `{"stream":${JSON.stringify(stream)},"expected":${revision},"events":[${each.join()}]}`
  })
  return `[${appends.join()}]`
}

function answer(append: Waiting, { stored, revision, position }: AnswerRow): void {
  const current = Number(revision)
  if (stored) append.resolve({ revision: current, position: toGlobalPosition(position!) })
  else {
    const actual = current < 0 ? 'no_stream' : current
    append.reject(new ConcurrencyConflict(append.stream, append.expected, actual))
  }
}

function reason({ stream }: Append, cause: unknown): Error {
  if (!isRefusal(cause)) return new AppendOutcomeUnknown(stream, { cause })
  if ((cause as pg.DatabaseError).constraint === 'event_id') {
    return new Error(`${stream}: an event with one of these ids is stored already`, { cause })
  }
  return cause as Error
}
