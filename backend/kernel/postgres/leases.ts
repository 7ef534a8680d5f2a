import pg from 'pg'
import { backoff, pause } from '../backoff.ts'
import { destroyClient } from './listen.ts'

/** Work of which there may be only one in all processes on one database. */
export interface Leases {
  /**
   * Runs `work` each time this process gets the lease of that name, until `signal` aborts; then resolves, with the work
   * ended and the lease given back. `work` ends soon after its own signal; should it end or throw by itself, it begins anew.
   */
  run(name: string, signal: AbortSignal, work: Work, options?: LeaseOptions): Promise<void>
  /** Names of the leases that this process holds. */
  held(): readonly string[]
  close(): Promise<void>
}

export type Work = (held: AbortSignal) => Promise<void>

export interface LeaseOptions {
  /**
   * Leases with slots are shared among the processes that want them: each belongs to the one whose turn its slot is, and
   * is handed over when one comes or goes. Without a slot, whoever has it keeps it.
   */
  readonly slot?: number
  /** Called when another process was seen to have it. */
  readonly onStandby?: () => void
}

interface Wanted extends LeaseOptions {
  readonly name: string
  readonly signal: AbortSignal
  readonly work: Work
  announced: boolean
  holding?: { readonly lost: AbortController; readonly ended: Promise<void> } | undefined
}

/** Any numbers that no other lock of the application uses. */
const WANTED = 7314203
const HELD = 7314204

const ROUND_MS = 500
/** An answer that takes longer counts as a lost connection. */
const ANSWER_MS = 3_500
/** Who says nothing for so long has lost its leases: the server ends the session, though the connection may still stand. */
const PATIENCE_MS = 5_000

const SESSION = [
  `set idle_session_timeout = ${PATIENCE_MS}`,
  // The same patience with a network that swallows everything; sockets of one machine know no such thing.
  'set tcp_keepalives_idle = 2',
  'set tcp_keepalives_interval = 1',
  'set tcp_keepalives_count = 3',
  `set tcp_user_timeout = ${PATIENCE_MS}`,
].join(';')

const LOCK = `select pg_try_advisory_lock(${HELD}, hashtext($1)) as got`
const UNLOCK = `select pg_advisory_unlock(${HELD}, hashtext($1))`
/** For each lease the sessions that want it, in the same order for everybody. */
const LOOK = `
  select w.name, pg_backend_pid() as ours,
    coalesce(array_agg(l.pid order by l.pid) filter (where l.classid = ${WANTED}), '{}') as pids,
    coalesce(bool_or(l.classid = ${HELD}), false) as held
  from unnest($1::text[]) w (name)
  left join pg_locks l on l.locktype = 'advisory' and l.granted and l.objsubid = 2
    and l.classid in (${WANTED}, ${HELD}) and l.objid = hashtext(w.name)::oid
    and l.database = (select oid from pg_database where datname = current_database())
  group by w.name`

/**
 * Leases are advisory locks of one session on a connection of its own: they end with it, however it ends. A round and an
 * answer take less than the server's patience, so that whoever has lost a lease has stopped before another one has it. The
 * connection must be to the server itself, or through a pooler that keeps sessions.
 */
export function createLeases(connection: pg.ClientConfig, onError: (error: unknown, what: string) => void): Leases {
  return new AdvisoryLeases(connection, onError)
}

class AdvisoryLeases implements Leases {
  readonly #connection: pg.ClientConfig
  readonly #onError: (error: unknown, what: string) => void
  readonly #wanted = new Set<Wanted>()
  readonly #closed = new AbortController()
  readonly #running: Promise<void>
  #session: pg.Client | undefined
  /** The client takes one query at a time. */
  #turn: Promise<unknown> = Promise.resolve()
  #wake = () => {}

  constructor(connection: pg.ClientConfig, onError: (error: unknown, what: string) => void) {
    this.#connection = connection
    this.#onError = onError
    this.#running = this.#keepSession()
  }

  async run(name: string, signal: AbortSignal, work: Work, options: LeaseOptions = {}): Promise<void> {
    const lease: Wanted = { ...options, name, signal, work, announced: false }
    this.#wanted.add(lease)
    this.#wake()
    await aborted(signal)
    await lease.holding?.ended
    this.#wanted.delete(lease)
    const session = this.#session
    if (session && lease.announced)
      await this.#query(session, `select pg_advisory_unlock_shared(${WANTED}, hashtext($1))`, [name]).catch(() => {})
  }

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
      const begun = Date.now()
      await this.#rounds().catch((error) => this.#onError(error, 'the connection of the leases'))
      if (Date.now() - begun > 10_000) attempt = 0
      await pause(backoff(attempt, { initial: 100, max: 1_000 }), signal)
    }
  }

  /** Looks around time and again, for as long as one connection stands. */
  async #rounds(): Promise<void> {
    const client = new pg.Client({ ...this.#connection, connectionTimeoutMillis: ANSWER_MS })
    const over = new AbortController()
    const stop = () => over.abort()
    client.on('error', stop).on('end', stop)
    this.#closed.signal.addEventListener('abort', stop, { once: true })
    try {
      await client.connect()
      await this.#query(client, SESSION)
      this.#session = client
      while (!over.signal.aborted) {
        const woken = new AbortController()
        this.#wake = () => woken.abort()
        await this.#round(client)
        await pause(ROUND_MS, AbortSignal.any([over.signal, woken.signal]))
      }
    } finally {
      this.#closed.signal.removeEventListener('abort', stop)
      this.#session = undefined
      for (const lease of this.#wanted) {
        lease.announced = false
        lease.holding?.lost.abort()
      }
      await destroyClient(client)
    }
  }

  async #round(client: pg.Client): Promise<void> {
    for (const lease of this.#wanted) {
      if (lease.announced) continue
      await this.#query(client, `select pg_advisory_lock_shared(${WANTED}, hashtext($1))`, [lease.name])
      lease.announced = true
    }
    const names = [...this.#wanted].map(({ name }) => name)
    const { rows } = await this.#query<{ name: string; pids: number[]; held: boolean; ours: number }>(client, LOOK, [
      names,
    ])
    const seen = new Map(rows.map((row) => [row.name, row]))
    for (const lease of this.#wanted) {
      const found = seen.get(lease.name)
      if (!found) continue
      const isOurTurn = lease.slot === undefined || found.pids[lease.slot % found.pids.length] === found.ours
      if (lease.holding && !isOurTurn) lease.holding.lost.abort()
      if (lease.holding || lease.signal.aborted) continue
      const got = isOurTurn && !found.held && (await this.#take(client, lease))
      if (!got) lease.onStandby?.()
    }
  }

  async #take(client: pg.Client, lease: Wanted): Promise<boolean> {
    const { rows } = await this.#query<{ got: boolean }>(client, LOCK, [lease.name])
    if (!rows[0]!.got) return false
    if (lease.signal.aborted) {
      await this.#query(client, UNLOCK, [lease.name])
      return false
    }
    const lost = new AbortController()
    const work = async () => {
      await lease.work(AbortSignal.any([lost.signal, lease.signal])).catch((error) => this.#onError(error, lease.name))
      if (this.#session === client) await this.#query(client, UNLOCK, [lease.name]).catch(() => {})
      lease.holding = undefined
    }
    lease.holding = { lost, ended: work() }
    return true
  }

  #query<Row extends pg.QueryResultRow>(client: pg.Client, text: string, values: unknown[] = []) {
    const ask = () => client.query<Row>({ text, values, query_timeout: ANSWER_MS } as pg.QueryConfig)
    const answer = this.#turn.then(ask, ask)
    this.#turn = answer.catch(() => {})
    return answer
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
