import { randomUUID } from 'node:crypto'
import { convertToCommandError, WrongExpectedVersionError } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type rpc from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { type ClientDuplexStream, status as codes, type ServiceError } from '@grpc/grpc-js'
import type { EncodedEvent } from '../encodeEvents.ts'
import type { Expected } from '../eventStore.port.ts'
import { withTimeout } from './eventStoreDbReads.ts'
import { isTransient } from './eventStoreDbRecords.ts'

const CALL_REFUSED: readonly codes[] = [codes.PERMISSION_DENIED, codes.UNIMPLEMENTED, codes.UNAUTHENTICATED]

export type AppendCall = ClientDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>
export type AppendSuccess = streams.BatchAppendResp.Success

/** Thrown for an append that the server answered with an error. The code is one of gRPC, or 0 if no node took it. */
class AppendRefused extends Error {
  override name = 'AppendRefused'
  readonly code: number
  constructor(status: rpc.Status) {
    super(status.getMessage())
    // A deleted stream is not found here, but a failed precondition for a single call, which is final.
    const code: number = status.getCode()
    this.code = code === codes.NOT_FOUND ? codes.FAILED_PRECONDITION : code
  }
}

/**
 * Appends of one connection, in one call, which costs a third of a call for each. The client has such a call as well, but
 * keeps the promises of all connections in one map: when a call fails it rejects them all, and the next answer to one of
 * them is thrown outside any promise, which ends the process.
 */
export class AppendStream {
  readonly #opening: Promise<AppendCall>
  readonly #onEnd: () => void
  readonly #pending = new Map<string, PromiseWithResolvers<AppendSuccess>>()
  readonly #idle = Promise.withResolvers<void>()
  #isAnswered = false
  #isRetired = false

  /** @param onEnd called when the call has ended, so that the next append needs another one */
  constructor(opening: Promise<AppendCall>, onEnd: () => void) {
    this.#opening = opening
    this.#onEnd = onEnd
    opening.then(
      (call) =>
        call
          .on('data', (answer: streams.BatchAppendResp) => this.#settle(answer))
          .on('error', (error: ServiceError) => this.#end(this.#faultOf(error)))
          .on('status', () => this.#end(new Error('the server ended the call'))),
      (error) => this.#end(error),
    )
  }

  /** @throws NoAnswer, AppendRefused, WrongExpectedVersionError, or the error that ended the call */
  async append(
    stream: string,
    expected: Expected,
    events: readonly EncodedEvent[],
    timeout: number,
  ): Promise<AppendSuccess> {
    const id = randomUUID()
    const request = requestOf(id, stream, expected, events)
    const pending = Promise.withResolvers<AppendSuccess>()
    this.#pending.set(id, pending)
    const write = (call: AppendCall) => this.#pending.has(id) && call.write(request)
    this.#opening.then(write).catch(pending.reject)
    try {
      return await withTimeout(pending.promise, timeout)
    } finally {
      this.#pending.delete(id)
      this.#cancelIfUnused()
    }
  }

  /** Ends the call once no append waits in it: the server would not end one that was only closed by the client. */
  retire(): Promise<void> {
    this.#isRetired = true
    this.#cancelIfUnused()
    return this.#idle.promise
  }

  #cancelIfUnused(): void {
    if (!this.#isRetired || this.#pending.size > 0) return
    this.#opening.then(
      (call) => call.cancel(),
      () => {},
    )
    this.#idle.resolve()
  }

  /** Must not throw: it is called outside any promise. An answer may be late, for an append that is no longer awaited. */
  #settle(answer: streams.BatchAppendResp): void {
    this.#isAnswered = true
    const pending = this.#pending.get(answer.getCorrelationId()?.getString() ?? '')
    const [success, error] = [answer.getSuccess(), answer.getError()]
    if (success) pending?.resolve(success)
    else pending?.reject(error ? errorOf(error) : new Error('the server sent no outcome'))
  }

  /** Returns a final fault only if it is that of every append: a call may also end by the fault of another one, or later. */
  #faultOf(error: ServiceError): Error {
    const fault = convertToCommandError(error) as Error
    const ofAll = !this.#isAnswered && CALL_REFUSED.includes(error.code)
    return ofAll || isTransient(fault) ? fault : new Error('the server ended the call', { cause: fault })
  }

  #end(error: Error): void {
    this.#onEnd()
    for (const { reject } of this.#pending.values()) reject(error)
  }
}

/** Sets no deadline: that of the protocol is a time by the server's clock. */
function requestOf(id: string, stream: string, expected: Expected, events: readonly EncodedEvent[]) {
  const name = new shared.StreamIdentifier().setStreamName(Buffer.from(stream))
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(name)
  if (expected === 'any') options.setAny(new shared.Empty())
  else if (expected === 'no_stream') options.setNoStream(new shared.Empty())
  else options.setStreamPosition(String(expected))
  return new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(id))
    .setOptions(options)
    .setProposedMessagesList(events.map(messageOf))
    .setIsFinal(true)
}

function messageOf({ id, type, data, meta }: EncodedEvent): streams.BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage()
    .setId(new shared.UUID().setString(id))
    .setData(Buffer.from(data))
    .setCustomMetadata(Buffer.from(meta))
  message.getMetadataMap().set('type', type).set('content-type', 'application/json')
  return message
}

const WRONG_VERSION = 'event_store.client.WrongExpectedVersion'

function errorOf(status: rpc.Status): Error {
  try {
    const wrong = status.getDetails()?.unpack(shared.WrongExpectedVersion.deserializeBinary, WRONG_VERSION)
    return wrong ? WrongExpectedVersionError.fromWrongExpectedVersion(wrong, '') : new AppendRefused(status)
  } catch (error) {
    return error as Error
  }
}
