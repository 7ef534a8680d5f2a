import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { EventStoreDBClient } from '@eventstore/db-client'
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { Channel } from '@grpc/grpc-js'
import type { Logger } from 'pino'
import { AppendStream } from './eventStoreDbAppends.ts'
import type { EventStoreDbSettings } from './eventStoreDbSettings.ts'

/** Together, the time in which a connection that no longer answers is noticed, in milliseconds. */
const KEEP_ALIVE = { keepAliveInterval: 2_000, keepAliveTimeout: 1_500 }
/** Short, because callers retry, and a member that does not answer costs `gossipTimeout` seconds per attempt. */
const DISCOVERY = { maxDiscoverAttempts: 2, discoveryInterval: 100, gossipTimeout: 1 }
/** Minimum age of a connection that is replaced, so that calls that fail together replace it once, in milliseconds. */
const MIN_AGE_MS = 200

/** Number of connections that this process has opened. */
let opened = 0

/**
 * A connection to the cluster that is replaced when a call fails. The client itself keeps a connection that does not
 * answer, and waits up to two minutes between attempts to reach a server that was down.
 */
export class EventStoreDbConnection {
  readonly #settings: EventStoreDbSettings
  readonly #log: Pick<Logger, 'warn'>
  #client: EventStoreDbClient
  #openedAt = 0

  constructor(settings: EventStoreDbSettings, log: Pick<Logger, 'warn'>) {
    this.#settings = settings
    this.#log = log
    this.#client = this.#open()
  }

  get client(): EventStoreDbClient {
    return this.#client
  }

  /** Returns the version of the server, or `unknown`. */
  async version(): Promise<string> {
    return await this.#client.version()
  }

  /**
   * Connects again, to the present leader, unless `failed` has been replaced already. Calls under way continue. Keeps the
   * connection while the file of the authority cannot be used, as during its rotation.
   */
  renew(failed: EventStoreDBClient): void {
    const former = this.#client
    if (failed !== former || performance.now() - this.#openedAt < MIN_AGE_MS) return
    try {
      this.#client = this.#open()
      void former.disconnect()
    } catch (error) {
      this.#log.warn({ err: error }, 'event store connection kept, its certificate authority cannot be read')
    }
  }

  async close(): Promise<void> {
    await this.#client.disconnect()
    await this.#client.dispose()
  }

  #open(): EventStoreDbClient {
    this.#openedAt = performance.now()
    const { hosts, isDnsName, credentials, tls, ca, options } = this.#settings
    const common = { ...KEEP_ALIVE, ...DISCOVERY, ...options }
    // gRPC shares connections, including the pause before the next attempt, between channels with equal options.
    const own = { ...common, keepAliveTimeout: common.keepAliveTimeout + (opened++ % 100) }
    const secrets = { insecure: !tls, ...(ca !== undefined && { rootCertificate: readAuthority(ca) }) }
    const [host] = hosts
    if (!host) throw new Error('no host of EventStoreDB')
    return withoutWarnings(() => {
      if (isDnsName) return new EventStoreDbClient({ ...own, discover: host }, secrets, credentials).track()
      if (hosts.length > 1)
        return new EventStoreDbClient({ ...own, endpoints: [...hosts] }, secrets, credentials).track()
      return new EventStoreDbClient({ ...own, endpoint: host }, secrets, credentials).track()
    })
  }
}

/** @throws Error the file is missing, or has no certificate, which gRPC would not notice */
function readAuthority(file: string): Buffer {
  const pem = readFileSync(file)
  new X509Certificate(pem)
  return pem
}

export class EventStoreDbClient extends EventStoreDBClient {
  #channel: Promise<Channel> | undefined
  #appends: AppendStream | undefined

  /** Returns the call that takes appends to the present leader. Opens it if there is none, or the last one has ended. */
  get appends(): AppendStream {
    this.#appends ??= this.#openAppends()
    return this.#appends
  }

  #openAppends(): AppendStream {
    const open = this.GRPCStreamCreator(StreamsClient, 'appendToStream', (client) =>
      client.batchAppend(...this.callArguments({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY })),
    )
    const opened = new AppendStream(open(), () => {
      if (this.#appends === opened) this.#appends = undefined
    })
    return opened
  }

  /** Remembers the connection, because the client opens one when it is asked for one. */
  track(): this {
    const open = this.getChannel
    this.getChannel = () => {
      this.#channel = open()
      return this.#channel
    }
    return this
  }

  async version(): Promise<string> {
    return (await this.capabilities).serverVersion
  }

  /** Closes the connection once the calls under way have ended. Resolves when no append waits. */
  async disconnect(): Promise<void> {
    const appended = this.#appends?.retire()
    void this.#channel?.then(
      (channel) => channel.close(),
      () => {},
    )
    await appended
  }
}

/** The client writes to the console about intervals under ten seconds, once per connection. */
function withoutWarnings<T>(work: () => T): T {
  const { warn } = console
  console.warn = () => {}
  try {
    return work()
  } finally {
    console.warn = warn
  }
}
