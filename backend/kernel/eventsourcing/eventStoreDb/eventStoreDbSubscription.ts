import {
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventStoreDBClient,
  type Filter,
  type Position,
  START,
  streamNameFilter,
} from '@eventstore/db-client'
import type { EventBatch, GlobalPosition, Stored, SubscribeOptions } from '../eventStore.port.ts'
import { fromGlobalPosition, toGlobalPosition, toStored } from './eventStoreDbRecords.ts'

/** The server tells a position after it looked at so many events times `checkpointInterval`, also when none matched. */
export interface SearchOptions {
  readonly maxSearchWindow: number
  readonly checkpointInterval: number
}

/**
 * Follows the log over one call, until it ends or the signal aborts.
 * @throws what ended the call
 */
export async function* subscribeOnce(
  client: EventStoreDBClient,
  options: SubscribeOptions & { readonly onLive?: () => void },
  search: SearchOptions,
): AsyncGenerator<EventBatch> {
  const { from, signal, maxBatch = 500 } = options
  const call = new SubscriptionCall()
  const filter = toFilter(options, search, call.checkpointReached)
  const subscription = client.subscribeToAll({ fromPosition: from ? fromGlobalPosition(from) : START, filter })
  call.watch(subscription)
  signal.addEventListener('abort', call.poke, { once: true })
  let at = from
  let toldLive = false
  try {
    while (!signal.aborted) {
      call.poked = false
      const { events, last, drained } = take(subscription, maxBatch)
      // A checkpoint comes while events before it are still unread here: it counts only once they are all taken.
      const position = latest(last, drained ? call.takeCheckpoint() : undefined)
      if (position !== undefined && (at === undefined || position > at)) {
        at = position
        toldLive = false
        yield { events, position, live: drained && call.caughtUp }
        continue
      }
      if (!drained) continue
      if (call.caughtUp && !toldLive) {
        toldLive = true
        options.onLive?.()
      }
      if (call.ended) {
        if (call.failure !== undefined) throw call.failure
        return
      }
      await call.untilPoked()
    }
  } finally {
    signal.removeEventListener('abort', call.poke)
    await leave(subscription, call)
  }
}

/** What the client's stream tells by events, made into something one can wait for. */
class SubscriptionCall {
  poked = false
  caughtUp = false
  ended = false
  failure: unknown
  #checkpoint: GlobalPosition | undefined
  #wake = () => {}

  watch(subscription: AllStreamSubscription): void {
    subscription.on('readable', this.poke)
    subscription.on('caughtUp', () => {
      this.caughtUp = true
      this.poke()
    })
    subscription.on('fellBehind', () => {
      this.caughtUp = false
    })
    const end = (error?: unknown) => {
      this.failure ??= error
      this.ended = true
      this.poke()
    }
    subscription.on('end', () => end())
    subscription.on('error', end)
  }

  poke = (): void => {
    this.poked = true
    this.#wake()
  }

  /** Called by the client from within its stream, where an error would be nobody's. */
  checkpointReached = async (_subscription: unknown, position: Position): Promise<void> => {
    this.#checkpoint = toGlobalPosition(position)
    this.poke()
  }

  takeCheckpoint(): GlobalPosition | undefined {
    const checkpoint = this.#checkpoint
    this.#checkpoint = undefined
    return checkpoint
  }

  async untilPoked(): Promise<void> {
    if (this.poked) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }
}

/** What lies ready in the client's buffer, without waiting. */
function take(subscription: AllStreamSubscription, maxBatch: number) {
  const events: Stored[] = []
  let last: GlobalPosition | undefined
  while (events.length < maxBatch) {
    const next = subscription.read() as AllStreamResolvedEvent | null
    if (next === null) return { events, last, drained: true }
    if (!next.event?.position) continue
    last = toGlobalPosition(next.event.position)
    // Links and other events of the server's own, which may stand in any stream.
    if (!next.event.type.startsWith('$')) events.push(toStored(next.event))
  }
  return { events, last, drained: false }
}

function latest(one: GlobalPosition | undefined, other: GlobalPosition | undefined): GlobalPosition | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one
}

/** Destroying the client's stream would not end the call; and the call is forgotten only when it is read to its end. */
async function leave(subscription: AllStreamSubscription, call: SubscriptionCall): Promise<void> {
  await subscription.unsubscribe().catch(() => {})
  subscription.removeListener('readable', call.poke)
  subscription.resume()
}

function toFilter(
  { streamPrefixes }: SubscribeOptions,
  search: SearchOptions,
  checkpointReached: SubscriptionCall['checkpointReached'],
): Filter {
  const common = { ...search, checkpointReached }
  if (streamPrefixes) return streamNameFilter({ ...common, prefixes: [...streamPrefixes] })
  return streamNameFilter({ ...common, regex: '^[^\\$].*' })
}
