import { once } from 'node:events'
import pg from 'pg'
import { backoff, pause } from '../backoff.ts'
import { destroyClient } from './listen.ts'

type Work = (held: AbortSignal, token: number) => Promise<void>

export interface LeaseOptions {
  /** Called in each round in which this process neither holds nor gets the lease. */
  readonly onStandby?: () => void
}

interface Wanted extends LeaseOptions {
  readonly name: string
  readonly signal: AbortSignal
  readonly work: Work
  holding?: { readonly lost: AbortController; readonly ended: Promise<void> } | undefined
}

/** Advisory lock class, reserved for leases. */
const HELD = 7314204

const ROUND_MS = 500
/** Query time after which the connection counts as lost. */
const QUERY_TIMEOUT_MS = 3_500
/** Idle time after which the server ends a session, which frees its leases even if the connection still exists. */
const SESSION_TIMEOUT_MS = 5_000

const SESSION = [
  `set idle_session_timeout = ${SESSION_TIMEOUT_MS}`,
  // TCP settings with the same timeout, for networks that drop packets. Unix sockets ignore them.
  'set tcp_keepalives_idle = 2',
  'set tcp_keepalives_interval = 1',
  'set tcp_keepalives_count = 3',
  `set tcp_user_timeout = ${SESSION_TIMEOUT_MS}`,
].join(';')

const UNLOCK = `select pg_advisory_unlock(${HELD}, hashtext($1))`
/**
 * Takes the leases that are free. Each gets a fencing token, which is higher than those of earlier holders. It starts at
 * the time in milliseconds, so that it stays higher when the database is restored from a backup.
 */
const TAKE = `
  with got as materialized (
    select name from unnest($1::text[]) name where pg_try_advisory_lock(${HELD}, hashtext(name)))
  insert into lease_token as taken (name, token)
  select name, (extract(epoch from clock_timestamp()) * 1000)::bigint from got
  on conflict (name) do update set token = greatest(taken.token + 1, excluded.token) returning name, token`

/**
 * Runs work under leases, so that at most one process per database runs it at a time. A lease is an advisory lock of a
 * dedicated session and ends with it. A round takes less than the session timeout, so a process that loses a lease
 * stops before another one gets it. Requires a direct connection or a pooler in session mode.
 * See docs/decisions/0008-leases-are-advisory-locks.md.
 * @example await new Leases(connection, onError).run('workflows', signal, (held) => runWorkflows(held))
 */
export class Leases {
  readonly #connection: pg.ClientConfig
  readonly #onError: (error: unknown, what: string) => void
  readonly #wanted = new Set<Wanted>()
  readonly #closed = new AbortController()
  readonly #running: Promise<void>
  #session: pg.Client | undefined
  /** The last round, which may be in progress. */
  #current: Promise<void> = Promise.resolve()
  /** Serialises queries, because the client takes only one at a time. */
  #queue: Promise<unknown> = Promise.resolve()
  #wake = () => {}

  constructor(connection: pg.ClientConfig, onError: (error: unknown, what: string) => void) {
    this.#connection = connection
    this.#onError = onError
    this.#running = this.#keepSession()
  }

  /**
   * Runs `work` each time this process gets the lease, until `signal` aborts. Resolves once the work has ended and the
   * lease is released. `work` receives a fencing token, which is higher than those of earlier holders. It must end soon after its own signal aborts; if it ends or throws earlier, it is restarted.
   */
  async run(name: string, signal: AbortSignal, work: Work, options: LeaseOptions = {}): Promise<void> {
    const lease: Wanted = { ...options, name, signal, work }
    this.#wanted.add(lease)
    this.#wake()
    if (!signal.aborted) await once(signal, 'abort')
    // It may be requesting the lease.
    await this.#current.catch(() => {})
    await lease.holding?.ended
    this.#wanted.delete(lease)
  }

  /** Returns the names of the leases that this process holds. */
  held(): readonly string[] {
    return [...this.#wanted].filter(({ holding }) => holding).map(({ name }) => name)
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#running
  }

  async #keepSession(): Promise<void> {
    const { signal } = this.#closed
    for (let attempt = 0; !signal.aborted; attempt++) {
      const start = Date.now()
      await this.#runSession().catch((error) => this.#onError(error, 'lease connection'))
      if (Date.now() - start > 10_000) attempt = 0
      await pause(backoff(attempt, { initial: 100, max: 1_000 }), signal)
    }
  }

  /** Opens a session and runs rounds until it ends. */
  async #runSession(): Promise<void> {
    const client = new pg.Client({ ...this.#connection, connectionTimeoutMillis: QUERY_TIMEOUT_MS })
    const ended = new AbortController()
    const end = () => ended.abort()
    client.on('error', end).on('end', end)
    const over = AbortSignal.any([ended.signal, this.#closed.signal])
    try {
      await client.connect()
      await this.#query(client, SESSION)
      this.#session = client
      while (!over.aborted) {
        const woken = new AbortController()
        this.#wake = () => woken.abort()
        this.#current = this.#round(client)
        await this.#current
        await pause(ROUND_MS, AbortSignal.any([over, woken.signal]))
      }
    } finally {
      this.#session = undefined
      for (const { holding } of this.#wanted) holding?.lost.abort()
      await destroyClient(client)
    }
  }

  /** Takes the leases that are wanted and free. Runs a query even if none is wanted, to keep the session. */
  async #round(client: pg.Client): Promise<void> {
    const wanted = new Map<string, Wanted>()
    for (const lease of this.#wanted) {
      if (lease.holding || lease.signal.aborted) continue
      // A session gets its own lock twice.
      if (this.held().includes(lease.name) || wanted.has(lease.name)) lease.onStandby?.()
      else wanted.set(lease.name, lease)
    }
    const { rows } = await this.#query<{ name: string; token: string }>(client, TAKE, [[...wanted.keys()]])
    const tokens = new Map(rows.map(({ name, token }) => [name, Number(token)]))
    for (const [name, lease] of wanted) {
      const token = tokens.get(name)
      if (token === undefined) lease.onStandby?.()
      else if (lease.signal.aborted) await this.#query(client, UNLOCK, [name])
      else this.#start(client, lease, token)
    }
  }

  #start(client: pg.Client, lease: Wanted, token: number): void {
    const lost = new AbortController()
    const work = async () => {
      await lease
        .work(AbortSignal.any([lost.signal, lease.signal]), token)
        .catch((error) => this.#onError(error, lease.name))
      if (this.#session === client) await this.#query(client, UNLOCK, [lease.name]).catch(() => {})
      lease.holding = undefined
    }
    lease.holding = { lost, ended: work() }
  }

  #query<Row extends pg.QueryResultRow>(client: pg.Client, text: string, values: unknown[] = []) {
    // Each round repeats its query, which costs more to plan than to run.
    const name = text === TAKE ? 'take_leases' : undefined
    const query = () => client.query<Row>({ name, text, values, query_timeout: QUERY_TIMEOUT_MS } as pg.QueryConfig)
    const result = this.#queue.then(query, query)
    this.#queue = result.catch(() => {})
    return result
  }
}
