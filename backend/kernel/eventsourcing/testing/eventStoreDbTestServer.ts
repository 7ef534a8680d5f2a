import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type streams from '@eventstore/db-client/generated/streams_pb.js'
import * as grpc from '@grpc/grpc-js'
import { EventStoreDbTestLog, type ExpectedRevision, type Outcome, type ProposedEvent } from './eventStoreDbTestLog.ts'
import {
  appendAnswer,
  batchAnswer,
  clusterInfo,
  expectedOf,
  type Member,
  nameOf,
  proposedOf,
  rpcError,
  supportedMethods,
} from './eventStoreDbTestMessages.ts'
import { answerRead, CHECKPOINTS, type Checkpoints, type ReadCall } from './eventStoreDbTestReads.ts'

type AppendCall = grpc.ServerReadableStream<streams.AppendReq, streams.AppendResp>
type BatchCall = grpc.ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>
type AppendCallback = grpc.sendUnaryData<streams.AppendResp>
/** An injected fault: the connection is cut, the response is lost, or the server is too busy. */
export type Trouble = 'cut' | 'silence' | 'busy'

interface TestServerOptions {
  /** Default: any free port. */
  readonly port?: number
  readonly log?: EventStoreDbTestLog
  /** Certificate and key in PEM format. Default: no TLS. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Called before each answer, to learn who leads. */
  readonly beforeCall?: (server: EventStoreDbTestServer) => void
}

/**
 * A test double of EventStoreDB. Serves in-memory events over the real gRPC protocol, so that specs use the real
 * client. It tests the adapter, not the database.
 */
export class EventStoreDbTestServer {
  readonly log: EventStoreDbTestLog
  /** Names of the called methods, in order, with an `append` for each append of a `batchAppend`. */
  readonly called: string[] = []
  /** Returns the fault to inject before an append is written, or after it and before the response. */
  trouble: ((moment: 'before' | 'after') => Trouble | undefined) | undefined
  /** Answers of batched appends that wait until a spec sends them; undefined if they are sent immediately. */
  held: (() => void)[] | undefined
  /** Leader that this member follows. Undefined if this member is the leader; 'none' during an election. */
  leader: Member | 'none' | undefined
  /** Members reported by gossip. */
  members: readonly Member[] = []
  /** Passwords by user name. Checked only with TLS, because the client sends credentials only then. */
  readonly users = new Map<string, string>()
  /** Rights that users lack. */
  readonly denied = new Set<'append' | 'read' | 'read $all'>()
  /** Accepts reads and subscriptions, or only the latter, without answering. */
  silentReads: boolean | 'subscriptions' = false
  /** Confirms subscriptions and keeps their connections alive, but sends them nothing more. */
  deaf = false
  checkpoints: Checkpoints = CHECKPOINTS.right
  version = '24.10.14'
  /** Distinct authorization headers received. */
  readonly authorizations = new Set<string>()
  port = 0
  readonly #tls: TestServerOptions['tls']
  readonly #wantedPort: number
  readonly #beforeCall: () => void
  readonly #reads = new Set<ReadCall>()
  readonly #batches = new Set<BatchCall>()
  readonly #server = new grpc.Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 })

  constructor({ port = 0, log = new EventStoreDbTestLog(), tls, beforeCall }: TestServerOptions = {}) {
    this.#tls = tls
    this.#beforeCall = () => beforeCall?.(this)
    this.#wantedPort = port
    this.log = log
    const refuse = (_call: unknown, callback: grpc.sendUnaryData<never>) =>
      callback(rpcError(grpc.status.UNIMPLEMENTED, 'not in this double'))
    this.#server.addService(StreamsService, {
      read: (call: ReadCall) => void this.#read(call),
      append: (call: AppendCall, callback: AppendCallback) => this.#append(call, callback),
      batchAppend: (call: BatchCall) => this.#batchAppend(call),
      delete: refuse,
      tombstone: refuse,
    })
    this.#server.addService(ServerFeaturesService, {
      getSupportedMethods: (_call: unknown, callback: grpc.sendUnaryData<unknown>) =>
        callback(null, supportedMethods(this.version)),
    })
    this.#server.addService(GossipService, {
      read: (_call: unknown, callback: grpc.sendUnaryData<unknown>) => {
        this.#beforeCall()
        callback(null, clusterInfo(this.members))
      },
    })
  }

  get url(): string {
    return this.#tls ? `esdb://kinora:pass%20word@localhost:${this.port}` : `esdb://127.0.0.1:${this.port}?tls=false`
  }

  /** Number of Read calls in flight. */
  get open(): number {
    return this.#reads.size
  }

  /** Number of BatchAppend calls in flight. */
  get batches(): number {
    return this.#batches.size
  }

  async start(): Promise<this> {
    const address = `127.0.0.1:${this.#wantedPort}`
    this.port = await new Promise((resolve, reject) => {
      const bound = (error: Error | null, port: number) => (error ? reject(error) : resolve(port))
      this.#server.bindAsync(address, this.#credentials(), bound)
    })
    return this
  }

  #credentials(): grpc.ServerCredentials {
    if (!this.#tls) return grpc.ServerCredentials.createInsecure()
    const pair = { cert_chain: Buffer.from(this.#tls.cert), private_key: Buffer.from(this.#tls.key) }
    return grpc.ServerCredentials.createSsl(null, [pair])
  }

  /** Aborts every call, like a killed server. */
  kill(): void {
    this.#server.forceShutdown()
  }

  async #read(call: ReadCall): Promise<void> {
    this.called.push('read')
    this.#meet(call.metadata)
    this.#reads.add(call)
    const options = call.request.getOptions()
    const denial = this.#denial(call.metadata, options?.hasAll() ? 'read $all' : 'read')
    if (denial) call.emit('error', denial)
    else if (this.silentReads === true || (this.silentReads && options?.hasSubscription()))
      await new Promise((resolve) => call.on('cancelled', resolve))
    else await answerRead(this.log, call, this)
    this.#reads.delete(call)
  }

  /** Returns the real server's error for a wrong password or a missing right. */
  #denial(metadata: grpc.Metadata, right: 'append' | 'read' | 'read $all'): grpc.ServiceError | undefined {
    const denied = () => rpcError(grpc.status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' })
    if (this.denied.has(right)) return denied()
    if (this.users.size === 0) return undefined
    const [basic = ''] = metadata.get('authorization').map(String)
    if (!basic) return denied()
    const [name = '', password] = Buffer.from(basic.slice('Basic '.length), 'base64').toString('utf8').split(':')
    if (this.users.get(name) === password) return undefined
    return rpcError(grpc.status.UNAUTHENTICATED, 'Received HTTP status code 401')
  }

  #meet(metadata: grpc.Metadata): void {
    for (const value of metadata.get('authorization')) this.authorizations.add(String(value))
  }

  #append(call: AppendCall, callback: AppendCallback): void {
    this.called.push('append')
    this.#meet(call.metadata)
    let options: streams.AppendReq.Options | undefined
    const events: ProposedEvent[] = []
    call.on('data', (message: streams.AppendReq) => {
      if (message.hasOptions()) options = message.getOptions()
      else events.push(proposedOf(message.getProposedMessage()!))
    })
    const end = () => {
      // A connection that was cut also ends the messages, and what arrived is a part.
      if (call.cancelled) return
      const expected = expectedOf(options!)
      const outcome = this.#decide(call.metadata, nameOf(options!.getStreamIdentifier()), expected, events)
      if (outcome instanceof Error) callback(outcome)
      else if (outcome) callback(null, appendAnswer(expected, outcome))
    }
    call.on('end', () => setImmediate(end))
  }

  /**
   * Answers as `Streams.BatchAppend.cs` of oss-v23.10.6 does: errors of one append are answers, but another leader or a
   * wrong password ends the call, and with it the appends that wait.
   */
  #batchAppend(call: BatchCall): void {
    this.called.push('batchAppend')
    this.#meet(call.metadata)
    const denial = this.#denial(call.metadata, 'append')
    if (denial?.code === grpc.status.UNAUTHENTICATED) return void call.emit('error', denial)
    this.#batches.add(call)
    call.on('cancelled', () => this.#batches.delete(call))
    const begun = new Map<string, { options: streams.BatchAppendReq.Options; events: ProposedEvent[] }>()
    call.on('data', (request: streams.BatchAppendReq) => {
      if (!this.#batches.has(call)) return
      const [correlation, options] = [request.getCorrelationId()!, request.getOptions()]
      const id = correlation.getString()
      if (options) begun.set(id, { options, events: [] })
      const batch = begun.get(id)
      batch?.events.push(...request.getProposedMessagesList().map(proposedOf))
      if (!batch || !request.getIsFinal()) return
      begun.delete(id)
      this.called.push('append')
      const [stream, expected] = [nameOf(batch.options.getStreamIdentifier()), expectedOf(batch.options)]
      const isLate = (batch.options.getDeadline()?.toDate().getTime() ?? Number.POSITIVE_INFINITY) <= Date.now()
      const outcome = isLate
        ? rpcError(grpc.status.DEADLINE_EXCEEDED, '')
        : this.#decide(call.metadata, stream, expected, batch.events)
      if (outcome instanceof Error && outcome.code === grpc.status.NOT_FOUND) {
        this.#batches.delete(call)
        call.emit('error', outcome)
      } else if (outcome) this.#deliver(() => void call.write(batchAnswer(correlation, stream, expected, outcome)))
    })
  }

  /** Ends the batched calls in flight with an error. */
  endBatches(code: grpc.status): void {
    for (const call of this.#batches) call.emit('error', rpcError(code, 'ended'))
    this.#batches.clear()
  }

  /** Sends an answer, unless answers are held. */
  #deliver(send: () => void): void {
    if (this.held) this.held.push(send)
    else send()
  }

  /** Returns the outcome of an append, or undefined if its answer is lost. */
  #decide(
    metadata: grpc.Metadata,
    stream: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
  ): Outcome | grpc.ServiceError | undefined {
    const refusal = this.#denial(metadata, 'append') ?? this.#refusal(metadata, events)
    if (refusal) return refusal
    const before = this.#trouble('before')
    if (before) return before.error
    const outcome = this.log.append(stream, expected, events)
    const after = this.#trouble('after')
    return after ? after.error : outcome
  }

  #refusal(metadata: grpc.Metadata, events: readonly ProposedEvent[]): grpc.ServiceError | undefined {
    this.#beforeCall()
    if (this.leader === 'none') return rpcError(grpc.status.UNKNOWN, 'No leader info available in response')
    if (this.leader && metadata.get('requires-leader')[0] === 'true') {
      return rpcError(grpc.status.NOT_FOUND, 'Leader info available', {
        exception: 'not-leader',
        'leader-endpoint-host': this.leader.host,
        'leader-endpoint-port': String(this.leader.port),
      })
    }
    const limit = 1024 * 1024
    const size = events.reduce((sum, { data, meta }) => sum + data.length + meta.length, 0)
    if (size <= limit) return undefined
    return rpcError(grpc.status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
      exception: 'maximum-append-size-exceeded',
      'maximum-append-size': String(limit),
    })
  }

  #trouble(moment: 'before' | 'after'): { readonly error?: grpc.ServiceError } | undefined {
    const trouble = this.trouble?.(moment)
    if (trouble === 'cut') this.kill()
    if (trouble === 'busy') return { error: rpcError(grpc.status.UNAVAILABLE, 'Server Is Too Busy') }
    return trouble && {}
  }
}
