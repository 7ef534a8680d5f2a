import type pg from 'pg'
import { must } from '../../must.ts'
import { isRejected } from './postgresAppends.ts'
import { type EventRow, readStreamSql, readStreamsSql } from './postgresEventStore.sql.ts'

interface Read {
  readonly stream: string
  /** First revision, inclusive. */
  readonly from: number
  resolve(page: StreamPage): void
  reject(error: unknown): void
}

/** Events of a stream in order. */
interface StreamPage {
  readonly rows: readonly EventRow[]
  /** Whether the stream had no more events. */
  readonly ends: boolean
}

const PAGE = 500
/** Events of each stream in a shared statement: most reads find a few, and some find a long stream. */
const SHARED_PAGE = 50
const MAX_READS = 50
const MAX_STATEMENTS = 2
const READ_TIMEOUT_MS = 8_000

/**
 * Reads pages of streams. Reads that arrive while the statements are in flight share the next one: commands often
 * look whether a cached stream has grown, and a statement costs more than the rows. Without load, each read is sent
 * immediately.
 */
export class StreamReads {
  readonly #pool: Pick<pg.Pool, 'query'>
  #waiting: Read[] = []
  #inFlight = 0

  constructor(pool: Pick<pg.Pool, 'query'>) {
    this.#pool = pool
  }

  /** Returns events that were stored before the call, from a revision on. */
  page(stream: string, from: number): Promise<StreamPage> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ stream, from, resolve, reject })
      if (this.#inFlight < MAX_STATEMENTS) void this.#send()
    })
  }

  async #send(): Promise<void> {
    this.#inFlight += 1
    // Reads of the same turn share the statement.
    await undefined
    for (let reads = this.#take(); reads.length > 0; reads = this.#take()) await this.#answer(reads)
    this.#inFlight -= 1
  }

  async #answer(reads: readonly Read[]): Promise<void> {
    const [first, ...others] = reads
    if (!first) return
    try {
      const pages = others.length === 0 ? [await this.#readOne(first)] : await this.#readAll(reads)
      for (const [n, page] of pages.entries()) reads[n]?.resolve(page)
    } catch (error) {
      // Read each by itself, so that a damaged stream fails alone.
      if (reads.length > 1 && isRejected(error)) for (const read of reads) await this.#answer([read])
      else for (const { reject } of reads) reject(error)
    }
  }

  #take(): readonly Read[] {
    return this.#waiting.splice(0, MAX_READS)
  }

  async #readOne({ stream, from }: Read): Promise<StreamPage> {
    const query = { ...readStreamSql, values: [stream, from, PAGE], query_timeout: READ_TIMEOUT_MS }
    const { rows } = await this.#pool.query<EventRow>(query)
    return { rows, ends: rows.length < PAGE }
  }

  async #readAll(reads: readonly Read[]): Promise<readonly StreamPage[]> {
    const values = [reads.map(({ stream }) => stream), reads.map(({ from }) => from), SHARED_PAGE]
    const query = { ...readStreamsSql, values, query_timeout: READ_TIMEOUT_MS }
    const { rows } = await this.#pool.query<EventRow & { read: string }>(query)
    const pages = reads.map(() => [] as EventRow[])
    for (const { read, ...row } of rows) must(pages[Number(read) - 1], 'stream').push(row)
    return pages.map((rows) => ({ rows, ends: rows.length < SHARED_PAGE }))
  }
}
