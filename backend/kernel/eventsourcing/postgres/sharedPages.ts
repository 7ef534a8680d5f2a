import type { Stored, SubscribeFilter } from '../eventStore.port.ts'

export interface Page {
  readonly events: readonly Stored[]
  /** Position up to which the page is complete. */
  readonly upTo: number
  /** Whether the page reaches the head of the log. */
  readonly live: boolean
}

type ReadPage = (at: number, filter: SubscribeFilter) => Promise<Page>

/** A subscription that is behind the head of the log. */
interface Reader {
  readonly filter: SubscribeFilter
  /** The same for subscriptions that read the same pages. */
  readonly group: string
  /** Position after which it reads next, or which it is processing; undefined before its first page. */
  at: number | undefined
  /** Whether others have waited for it in vain since it last read. */
  stands: boolean
}

interface Shared {
  readonly at: number
  readonly group: string
  readonly page: Promise<Page>
}

/** Maximum positions per page. Keeps subscriptions to rare streams from scanning the whole log in one query. */
export const MAX_SPAN = 20_000
/** Positions by which a subscription may be ahead of another that reads the same pages. */
const LEAD = MAX_SPAN / 2
/** How long a subscription waits for others that do not move. */
const PATIENCE_MS = 1_000

/**
 * Reads the pages of a log for subscriptions that are behind its head. Those with the same filter read a page once, and
 * the next one while they process it. They stay together: otherwise the fast ones run away, and each reads the whole log
 * for itself. Pages behind the head do not change, because the log is append-only.
 * See docs/decisions/0050-read-models-catch-up-side-by-side.md.
 */
export class SharedPages {
  readonly #read: ReadPage
  readonly #readers = new Set<Reader>()
  readonly #waiting = new Set<() => void>()
  #pages: readonly Shared[] = []

  constructor(read: ReadPage) {
    this.#read = read
  }

  /** Adds a subscription, which must leave when it has reached the head, or ends. */
  join(filter: SubscribeFilter, signal: AbortSignal) {
    const group = `${filter.maxBatch} ${filter.streamPrefixes}`
    const reader: Reader = { filter, group, at: undefined, stands: false }
    return {
      /**
       * Returns the page after a position. The first page of a subscription forgets those that were read before, so that it
       * sees the log as it is now, even if the table was replaced.
       */
      pageAfter: async (at: number): Promise<Page> => {
        if (reader.at === undefined) this.#pages = []
        this.#readers.add(Object.assign(reader, { at, stands: false }))
        this.#moved()
        await this.#waitForOthers(reader, signal)
        const shared = await this.#find(at, reader)?.page
        // The log may have grown since the other read began.
        const page = shared && !shared.live ? shared : await this.#begin(at, reader)
        if (!page.live) this.#begin(page.upTo, reader).catch(() => {})
        return page
      },
      leave: () => {
        this.#readers.delete(reader)
        this.#moved()
      },
    }
  }

  /** Forgets pages that everybody has passed. */
  #moved(): void {
    const readers = [...this.#readers]
    const isNeeded = (page: Shared) =>
      readers.some(({ group, at }) => group === page.group && at! <= page.at && page.at <= at! + MAX_SPAN)
    this.#pages = this.#pages.filter(isNeeded)
    for (const look of this.#waiting) look()
  }

  /** Returns those that a reader has to wait for. One that is far behind reads by itself. */
  #behind({ at, group }: Reader): Reader[] {
    const isFollowing = (other: Reader) => other.at! + LEAD <= at! && at! <= other.at! + MAX_SPAN
    return [...this.#readers].filter((other) => other.group === group && isFollowing(other) && !other.stands)
  }

  #waitForOthers(reader: Reader, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#behind(reader).length === 0) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#waiting.delete(look)
        resolve()
      }
      const look = () => {
        if (this.#behind(reader).length === 0) done()
      }
      const timer = setTimeout(() => {
        for (const other of this.#behind(reader)) other.stands = true
        done()
      }, PATIENCE_MS)
      signal.addEventListener('abort', done)
      this.#waiting.add(look)
    })
  }

  #find(at: number, { group }: Reader): Shared | undefined {
    return this.#pages.find((page) => page.at === at && page.group === group)
  }

  #begin(at: number, reader: Reader): Promise<Page> {
    const known = this.#find(at, reader)
    if (known) return known.page
    const begun: Shared = { at, group: reader.group, page: this.#read(at, reader.filter) }
    const forget = () => {
      this.#pages = this.#pages.filter((page) => page !== begun)
    }
    this.#pages = [...this.#pages, begun]
    begun.page.then(({ live }) => live && forget(), forget)
    return begun.page
  }
}
