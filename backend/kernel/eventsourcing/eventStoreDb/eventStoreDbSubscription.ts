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
import { PROBE_STREAM } from './eventStoreDbProbe.ts'
import { NoAnswer, readHead } from './eventStoreDbReads.ts'
import { fromGlobalPosition, toGlobalPosition, toStored } from './eventStoreDbRecords.ts'

/** The server sends a checkpoint every `maxSearchWindow` × `checkpointInterval` events, even if none match. */
export interface SearchOptions {
  readonly maxSearchWindow: number
  readonly checkpointInterval: number
}

/**
 * Follows the log in one call until the call ends or the signal aborts. Throws the error that ended the call. Delivers
 * every event that the server sends. A checkpoint only moves the position from which a later call resumes.
 * @param timeout milliseconds to wait for the server to accept the call; later, the connection's keepalive applies
 * @throws NoAnswer
 */
export async function* subscribeOnce(
  client: EventStoreDBClient,
  options: SubscribeOptions & { readonly onLive?: () => void },
  search: SearchOptions,
  timeout: number,
): AsyncGenerator<EventBatch> {
  const { from, signal, maxBatch = 500 } = options
  const call = new SubscriptionCall()
  const filter = toFilter(options, search, call.checkpointReached)
  const subscription = client.subscribeToAll({ fromPosition: from ? fromGlobalPosition(from) : START, filter })
  call.watch(subscription, timeout)
  signal.addEventListener('abort', call.wake, { once: true })
  let at = from
  let isLive = false
  try {
    while (!signal.aborted) {
      call.woken = false
      const { events, last, drained } = readBuffer(subscription, maxBatch)
      const passed = drained ? await passedCheckpoint(call, latest(last, at), client, timeout) : undefined
      const position = passed ?? last
      if (position !== undefined) {
        at = position
        isLive = false
        yield { events, position, live: drained && call.caughtUp }
        continue
      }
      if (!drained) continue
      if (call.caughtUp && !isLive) {
        isLive = true
        options.onLive?.()
      }
      if (call.ended) {
        if (call.failure !== undefined) throw call.failure
        return
      }
      await call.untilWoken()
    }
  } finally {
    signal.removeEventListener('abort', call.wake)
    await unsubscribe(subscription, call)
  }
}

/** Exposes the events of the client's subscription as flags and a promise. */
class SubscriptionCall {
  woken = false
  caughtUp = false
  ended = false
  failure: unknown
  /** The newest checkpoint, and the one before it, which the server has passed. */
  #checkpoint: GlobalPosition | undefined
  #passed: GlobalPosition | undefined
  #resolve = () => {}

  watch(subscription: AllStreamSubscription, timeout: number): void {
    const unconfirmed = setTimeout(() => end(new NoAnswer(`no answer in ${timeout} ms`)), timeout)
    subscription.on('confirmation', () => clearTimeout(unconfirmed))
    subscription.on('readable', this.wake)
    subscription.on('caughtUp', () => {
      this.caughtUp = true
      this.wake()
    })
    subscription.on('fellBehind', () => {
      this.caughtUp = false
    })
    const end = (error?: unknown) => {
      clearTimeout(unconfirmed)
      this.failure ??= error
      this.ended = true
      this.wake()
    }
    subscription.on('end', () => end())
    subscription.on('error', end)
  }

  wake = (): void => {
    this.woken = true
    this.#resolve()
  }

  /** Must not throw: the client calls it inside its stream, where an error would be unhandled. */
  checkpointReached = async (_subscription: unknown, position: Position): Promise<void> => {
    const checkpoint = toGlobalPosition(position)
    const isNext = this.#checkpoint !== undefined && checkpoint > this.#checkpoint
    if (checkpoint !== this.#checkpoint) this.#passed = isNext ? this.#checkpoint : undefined
    this.#checkpoint = checkpoint
    this.wake()
  }

  /** Returns, once, the checkpoint that the server has passed; undefined while it is still behind. */
  takePassed(): GlobalPosition | undefined {
    if (!this.caughtUp) return undefined
    const passed = this.#passed
    this.#passed = undefined
    return passed
  }

  async untilWoken(): Promise<void> {
    if (this.woken) return
    await new Promise<void>((resolve) => {
      this.#resolve = resolve
    })
  }
}

/** Reads the events that the client has buffered, without waiting. */
function readBuffer(subscription: AllStreamSubscription, maxBatch: number) {
  const events: Stored[] = []
  let last: GlobalPosition | undefined
  while (events.length < maxBatch) {
    const next = subscription.read() as AllStreamResolvedEvent | null
    if (next === null) return { events, last, drained: true }
    if (!next.event?.position) continue
    last = toGlobalPosition(next.event.position)
    // Skip links and other system events, which may occur in any stream.
    if (!next.event.type.startsWith('$')) events.push(toStored(next.event))
  }
  return { events, last, drained: false }
}

function latest(one: GlobalPosition | undefined, other: GlobalPosition | undefined): GlobalPosition | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one
}

/**
 * Returns a checkpoint after `at` from which a later call can resume, or undefined. EventStoreDB 24.2 to 24.10.4 send
 * 2⁶⁴ - 1 while nothing has matched, and some releases send the end of the log, where the next event will be. A
 * checkpoint therefore counts only when the server has caught up and sent a later one, and if the log reaches that far.
 */
async function passedCheckpoint(
  call: SubscriptionCall,
  at: GlobalPosition | undefined,
  client: EventStoreDBClient,
  timeout: number,
): Promise<GlobalPosition | undefined> {
  const passed = call.takePassed()
  if (passed === undefined || (at !== undefined && passed <= at)) return undefined
  const head = await readHead(client, timeout)
  return head !== undefined && passed <= head ? passed : undefined
}

/** Unsubscribes and drains the stream. Destroying it would not end the call, and the client would never release it. */
async function unsubscribe(subscription: AllStreamSubscription, call: SubscriptionCall): Promise<void> {
  await subscription.unsubscribe().catch(() => {})
  subscription.removeListener('readable', call.wake)
  subscription.resume()
}

function toFilter(
  { streamPrefixes }: SubscribeOptions,
  search: SearchOptions,
  checkpointReached: SubscriptionCall['checkpointReached'],
): Filter {
  const common = { ...search, checkpointReached }
  if (streamPrefixes) return streamNameFilter({ ...common, prefixes: [...streamPrefixes] })
  return streamNameFilter({ ...common, regex: `^(?!${PROBE_STREAM}$)[^\\$].*` })
}
