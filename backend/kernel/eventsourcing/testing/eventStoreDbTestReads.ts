import streams from '@eventstore/db-client/generated/streams_pb.js'
import * as grpc from '@grpc/grpc-js'
import type { EventStoreDbTestLog, LoggedEvent } from './eventStoreDbTestLog.ts'
import {
  caughtUpMessage,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  nameOf,
  rpcError,
  streamNotFoundMessage,
} from './eventStoreDbTestMessages.ts'

type ReadOptions = streams.ReadReq.Options
type Matcher = (event: LoggedEvent) => boolean
export type ReadCall = grpc.ServerWritableStream<streams.ReadReq, streams.ReadResp>

/** A Read call in flight. Applies backpressure, and stops when the client disconnects. */
class Answer {
  readonly #call: ReadCall
  readonly gone: Promise<void>
  cancelled = false

  constructor(call: ReadCall) {
    this.#call = call
    this.gone = new Promise((resolve) => {
      call.on('cancelled', () => {
        this.cancelled = true
        resolve()
      })
    })
  }

  async write(message: streams.ReadResp): Promise<void> {
    if (this.#call.write(message) || this.cancelled) return
    await Promise.race([this.gone, new Promise((resolve) => this.#call.once('drain', resolve))])
  }
}

/** Returns the checkpoint to send instead of `position`, which the subscription has reached. */
export type Checkpoints = (position: bigint, log: EventStoreDbTestLog, matched: number) => bigint

/** Known faults of the server. */
export interface Faults {
  readonly checkpoints: Checkpoints
  /** Whether subscriptions get no more events. */
  readonly deaf: boolean
}

const MAX_POSITION = 2n ** 64n - 1n

/** Checkpoints as releases of the server are known to send them. */
export const CHECKPOINTS = {
  right: (position: bigint) => position,
  /** 24.2 to 24.10.4, until an event matches. */
  unmatched: (position: bigint, _: EventStoreDbTestLog, matched: number) => (matched === 0 ? MAX_POSITION : position),
  /** The position that the next event will have. */
  end: (_: bigint, log: EventStoreDbTestLog) => log.end,
  /** Back and forth between the start and the position that was reached. */
  backwards: (position: bigint) => (position % 3n === 0n ? 1n : position),
} satisfies Record<string, Checkpoints>

/** Answers the kinds of reads that Kinora uses: a stream, the end of the log backwards, and subscriptions to the log. */
export async function answerRead(log: EventStoreDbTestLog, call: ReadCall, faults: Faults): Promise<void> {
  const options = call.request.getOptions()!
  const answer = new Answer(call)
  try {
    if (!options.hasUuidOption()) throw rpcError(grpc.status.INVALID_ARGUMENT, '`uuidOption` is a required argument')
    if (options.hasSubscription() && options.hasAll()) return await subscribe(log, options, answer, faults)
    if (!options.hasSubscription() && options.getAll()?.hasEnd()) {
      const count = Number(options.getCount())
      for (const event of log.all.slice(-count).reverse()) await answer.write(eventMessage(event))
      call.end()
      return
    }
    if (options.hasSubscription() || options.hasAll()) throw rpcError(grpc.status.UNIMPLEMENTED, 'not in this double')
    await readStream(log, options, answer)
    call.end()
  } catch (error) {
    if (!answer.cancelled) call.emit('error', error)
  }
}

async function readStream(log: EventStoreDbTestLog, options: ReadOptions, answer: Answer): Promise<void> {
  const asked = options.getStream()!
  const stream = nameOf(asked.getStreamIdentifier())
  const events = log.stream(stream)
  if (events.length === 0) return await answer.write(streamNotFoundMessage(stream))
  const from = asked.hasStart() ? 0 : asked.hasEnd() ? events.length - 1 : Number(asked.getRevision())
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS
  const found = backwards ? events.slice(0, from + 1).reverse() : events.slice(from)
  // Converting the largest count to a number loses precision, which is harmless.
  for (const event of found.slice(0, Number(options.getCount()))) {
    if (answer.cancelled) return
    await answer.write(eventMessage(event))
  }
}

async function subscribe(
  log: EventStoreDbTestLog,
  options: ReadOptions,
  answer: Answer,
  faults: Faults,
): Promise<void> {
  await answer.write(confirmationMessage())
  const matches = matcherOf(options)
  const window = searchWindow(options)
  let next = firstAfter(log, options)
  let looked = 0
  let live = false
  let matched = 0
  let told = -1n
  const checkpoint = async (position: bigint) => {
    if (window === 0 || position <= told) return
    told = position
    await answer.write(checkpointMessage(faults.checkpoints(position, log, matched)))
  }
  while (!answer.cancelled) {
    const event = log.all[next]
    if (event && faults.deaf) return await answer.gone
    if (event) {
      next++
      if (matches(event)) {
        matched++
        await answer.write(eventMessage(event))
      }
      if (window > 0 && ++looked % window === 0) await checkpoint(event.position)
      continue
    }
    // Listen for events before the writes below, so that none is missed.
    const changed = log.changed()
    if (!live) {
      live = true
      const last = log.all.at(-1)
      if (last) await checkpoint(last.position)
      await answer.write(caughtUpMessage())
    }
    if (next >= log.all.length) await Promise.race([changed, answer.gone])
  }
}

/** Returns the index of the first event of a subscription, whose start position is exclusive. */
function firstAfter(log: EventStoreDbTestLog, options: ReadOptions): number {
  const all = options.getAll()!
  if (all.hasEnd()) return log.all.length
  const after = all.hasPosition() ? BigInt(all.getPosition()!.getCommitPosition()) : -1n
  const index = log.all.findIndex(({ position }) => position > after)
  return index < 0 ? log.all.length : index
}

/** Returns the number of events between two checkpoints; 0 without a filter, when the server sends none. */
function searchWindow(options: ReadOptions): number {
  const filter = options.getFilter()
  if (!filter) return 0
  return (filter.hasMax() ? filter.getMax() : 32) * filter.getCheckpointintervalmultiplier()
}

function matcherOf(options: ReadOptions): Matcher {
  const filter = options.getFilter()
  if (!filter) return () => true
  const onType = filter.hasEventType()
  const expression = onType ? filter.getEventType()! : filter.getStreamIdentifier()!
  const regex = expression.getRegex() ? new RegExp(expression.getRegex()) : undefined
  const prefixes = expression.getPrefixList()
  return ({ type, stream }) => {
    const value = onType ? type : stream
    return regex ? regex.test(value) : prefixes.some((prefix) => value.startsWith(prefix))
  }
}
