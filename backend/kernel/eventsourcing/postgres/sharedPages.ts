import type { Stored, SubscribeFilter } from '../eventStore.port.ts'

export interface Page {
  readonly events: readonly Stored[]
  /** Position up to which the page is complete. */
  readonly upTo: number
  /** Whether the page reaches the head of the log. */
  readonly live: boolean
}

type ReadPage = (at: number, filter: SubscribeFilter) => Promise<Page>

/** How long a page waits for the other subscriptions. */
const KEPT_MS = 1_000

/**
 * Reads the pages of a log for subscriptions that are behind its head. Subscriptions that ask for the same page share a
 * read, and while they process it, the next page is read. Pages behind the head do not change, because the log is
 * append-only.
 */
export class SharedPages {
  readonly #read: ReadPage
  readonly #pages = new Map<string, Promise<Page>>()

  constructor(read: ReadPage) {
    this.#read = read
  }

  /**
   * Returns the page after a position. The first page of a subscription forgets those that were read before, so that it
   * sees the log as it is now, even if the table was replaced.
   */
  async after(at: number, filter: SubscribeFilter, isFirst = false): Promise<Page> {
    if (isFirst) this.#pages.clear()
    const shared = await this.#pages.get(keyOf(at, filter))
    // The log may have grown since the other read began.
    const page = shared && !shared.live ? shared : await this.#begin(at, filter)
    if (!page.live) this.#begin(page.upTo, filter).catch(() => {})
    return page
  }

  #begin(at: number, filter: SubscribeFilter): Promise<Page> {
    const key = keyOf(at, filter)
    const known = this.#pages.get(key)
    if (known) return known
    const reading = this.#read(at, filter)
    const forget = () => {
      if (this.#pages.get(key) === reading) this.#pages.delete(key)
    }
    this.#pages.set(key, reading)
    reading.then(({ live }) => (live ? forget() : setTimeout(forget, KEPT_MS).unref()), forget)
    return reading
  }
}

const keyOf = (at: number, { streamPrefixes, maxBatch }: SubscribeFilter) => `${at} ${maxBatch} ${streamPrefixes}`
