import type { EventBatch, EventStore, GlobalPosition, SubscribeOptions } from './eventStore.port.ts'
import type { Event } from './pure/decider.ts'

/** A subscription that is connected and delivers nothing, although the log has events for it. */
export interface Silence {
  readonly subscription: string
  /** Time since the missing events were noticed, ms. */
  readonly forMs: number
}

interface Watch {
  /** Milliseconds of a clock that only moves forward. */
  readonly clock: () => number
  /** Called at each check that finds some. */
  readonly onSilent: (silences: readonly Silence[]) => void
  readonly onRestart: (subscription: string) => void
}

/** A subscription while its caller waits for events, or handles them. */
interface Watched {
  readonly options: NamedOptions
  /** Position of the last event that was delivered. */
  delivered: GlobalPosition | undefined
  isWaiting: boolean
  /** When events were first found that had not been delivered; undefined if there are none. */
  behindSince: number | undefined
  restartAfter: number
  isSilent: boolean
  call: AbortController
}

type Options = SubscribeOptions & { readonly onLive?: () => void }
type NamedOptions = Options & { readonly name: string }

/** Longer than the keepalive of connections and the interval at which the log in Postgres is read without a notification. */
const SILENT_MS = 15_000
const RESTART_MS = 20_000

/**
 * Compares what the named subscriptions of a store have delivered with the events that the log has for them, and starts
 * silent ones again after their last event. What a subscription claims to have reached counts for nothing.
 */
export function watchDeliveries(store: EventStore, watch: Watch) {
  const watched = new Set<Watched>()
  /** Head of the log at the last check that found nothing missing. */
  let complete: GlobalPosition | undefined

  async function* subscribe<E extends Event>(options: NamedOptions): AsyncGenerator<EventBatch<E>> {
    const one: Watched = { options, delivered: options.from, isWaiting: true, call: new AbortController(), ...HEARD }
    // Events may be missing already.
    complete = undefined
    watched.add(one)
    try {
      yield* deliver<E>(store, one)
    } finally {
      watched.delete(one)
    }
  }

  /** Compares the subscriptions with the log. Must run every few seconds. @throws Error the log could not be read */
  async function check(): Promise<void> {
    const head = await store.head()
    if (head === complete) return
    const newest = new Map<string, Promise<GlobalPosition | undefined>>()
    const judge = async (one: Watched) => {
      const { streamPrefixes } = one.options
      const key = `${streamPrefixes}`
      const position = newest.get(key) ?? store.newest(streamPrefixes)
      newest.set(key, position)
      const { delivered } = one
      const isMissing = ((await position) ?? '') > (one.delivered ?? '')
      // A caller that is handling events, or has just got some, is not waiting for those that are missing.
      if (!isMissing) Object.assign(one, HEARD)
      else if (one.isWaiting && one.delivered === delivered) judgeMissing(one, watch)
      return isMissing
    }
    const missing = await Promise.all([...watched].map(judge))
    complete = missing.some(Boolean) ? undefined : head
    const silent = silences()
    if (silent.length > 0) watch.onSilent(silent)
  }

  const silences = (): Silence[] =>
    [...watched]
      .filter(({ isSilent }) => isSilent)
      .map(({ options, behindSince }) => {
        const now = watch.clock()
        return { subscription: options.name, forMs: now - (behindSince ?? now) }
      })

  return {
    /** The store with named subscriptions watched. */
    store: {
      append: (...args) => store.append(...args),
      ...(store.appendAll && { appendAll: store.appendAll.bind(store) }),
      readStream: (...args) => store.readStream(...args),
      subscribeAll: <E extends Event>(options: Options) =>
        options.name === undefined ? store.subscribeAll<E>(options) : subscribe<E>({ ...options, name: options.name }),
      head: () => store.head(),
      newest: (prefixes) => store.newest(prefixes),
      probe: () => store.probe(),
      close: () => store.close(),
    } satisfies EventStore,
    check,
    silences,
  }
}

/** Delivers the events of a subscription. Calls the store again after the last event each time its call is aborted. */
async function* deliver<E extends Event>(store: EventStore, one: Watched): AsyncGenerator<EventBatch<E>> {
  const { options } = one
  const onLive = () => {
    if (!one.isSilent) options.onLive?.()
  }
  do {
    one.call = new AbortController()
    const signal = AbortSignal.any([options.signal, one.call.signal])
    for await (const batch of store.subscribeAll<E>({ ...options, from: one.delivered, signal, onLive })) {
      one.isWaiting = false
      const last = batch.events.at(-1)
      if (last) Object.assign(one, { delivered: last.position, ...HEARD })
      yield batch
      one.isWaiting = true
    }
  } while (one.call.signal.aborted && !options.signal.aborted)
}

/** Notes that events are missing. Starts the subscription again if they have been for too long. */
function judgeMissing(one: Watched, { clock, onRestart }: Watch): void {
  one.behindSince ??= clock()
  const { name, onSilent } = one.options
  const forMs = clock() - one.behindSince
  if (forMs < SILENT_MS) return
  if (!one.isSilent) onSilent?.(forMs)
  one.isSilent = true
  if (forMs < one.restartAfter) return
  one.restartAfter = forMs + RESTART_MS
  onRestart(name)
  one.call.abort()
}

const HEARD = { behindSince: undefined, isSilent: false, restartAfter: RESTART_MS }
