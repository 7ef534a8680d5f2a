import type { Database } from '#backend/kernel/postgres/orm.ts'
import type { Latency, Scheduler } from '../time/scheduler.ts'

const QUERY: Latency = { min: 0.5, max: 8 }

/** Runs one kind of statement and returns its rows. `values` are its parameters, in order. */
export type Statement = (database: SimulatedDatabase, values: readonly unknown[], sql: string) => readonly object[]

/** Statements by a text that only they contain. */
export type Statements = readonly (readonly [part: string, run: Statement])[]

/** Rows by key. A change within a transaction is undone if the transaction fails. */
export class Table<Row extends object = Record<string, unknown>> {
  readonly rows = new Map<string, Row>()
  readonly #undo: () => (() => void)[] | undefined

  constructor(undo: () => (() => void)[] | undefined) {
    this.#undo = undo
  }

  get(key: string): Row | undefined {
    return this.rows.get(key)
  }

  set(key: string, row: Row): void {
    const before = this.rows.get(key)
    this.#undo()?.push(() => (before ? this.rows.set(key, before) : this.rows.delete(key)))
    this.rows.set(key, row)
  }

  delete(key: string): void {
    const before = this.rows.get(key)
    if (!before) return
    this.#undo()?.push(() => this.rows.set(key, before))
    this.rows.delete(key)
  }
}

/**
 * The database of a simulated installation. It knows each statement that the code under simulation sends, and fails on
 * any other. A transaction is atomic because its statements take no virtual time: only the answer to its commit does.
 */
export class SimulatedDatabase {
  isDown = false
  /** Called after each transaction. */
  onCommit: () => void = () => {}
  /** Called for a statement that the simulation does not know: the code under simulation may catch the error. */
  onUnknown: (error: Error) => void = () => {}
  readonly scheduler: Scheduler
  readonly #statementFor: (sql: string) => Statement
  readonly #tables = new Map<string, Table>()
  readonly #listeners = new Set<(payload: string) => void>()
  /** Steps that undo the current transaction; undefined between transactions. */
  #undo: (() => void)[] | undefined
  #notifications: string[] = []

  /** @param statementFor returns the simulation of a statement, or throws if there is none */
  constructor(scheduler: Scheduler, statementFor: (sql: string) => Statement) {
    this.scheduler = scheduler
    this.#statementFor = statementFor
  }

  /** Returns a table, which exists once it is named. */
  table<Row extends object = Record<string, unknown>>(name: string): Table<Row> {
    const known = this.#tables.get(name) ?? new Table(() => this.#undo)
    this.#tables.set(name, known)
    return known as unknown as Table<Row>
  }

  /** Calls the listener with the payload of each notification. Returns a function that removes it. */
  listen(listener: (payload: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Sends a notification, which a transaction does when it commits. */
  notify(payload: string): void {
    if (this.#undo) this.#notifications.push(payload)
    else for (const listener of this.#listeners) listener(payload)
  }

  /** The database as MikroORM shows it. */
  readonly orm = { em: { fork: () => this.#entityManager() } } as unknown as Database

  /** The database as a connection pool shows it. */
  readonly pool = {
    query: async (
      statement: string | { readonly text: string; readonly values: unknown[] },
      values: unknown[] = [],
    ) => {
      const { text, ...named } = typeof statement === 'string' ? { text: statement, values } : statement
      const rows = (await this.#execute(text, named.values)) as object[]
      return { rows, rowCount: rows.length }
    },
  }

  #entityManager() {
    return {
      execute: (sql: string, values: unknown[] = []) => this.#execute(sql, values),
      transactional: <T>(work: (em: unknown) => Promise<T>) => this.#transact(work),
    }
  }

  async #transact<T>(work: (em: unknown) => Promise<T>): Promise<T> {
    this.#assertUp()
    if (this.#undo) throw new Error('a transaction takes virtual time before it ends')
    this.#undo = []
    const execute = async (sql: string, values: unknown[] = []) => this.#statement(sql)(this, values, sql)
    let result: T
    try {
      result = await work({ execute })
    } catch (error) {
      for (const step of this.#undo.toReversed()) step()
      this.#notifications = []
      this.#undo = undefined
      throw error
    }
    this.#undo = undefined
    for (const payload of this.#notifications.splice(0)) this.notify(payload)
    this.onCommit()
    await this.scheduler.call(QUERY, () => {})
    return result
  }

  async #execute(sql: string, values: unknown[]): Promise<unknown> {
    const statement = this.#statement(sql)
    // Each read model reports every two seconds that it is alive: most of all steps would be these.
    if (sql.includes('set live_at')) return []
    return this.scheduler.call(QUERY, () => {
      this.#assertUp()
      return statement(this, values, sql)
    })
  }

  #statement(sql: string): Statement {
    try {
      return this.#statementFor(sql)
    } catch (error) {
      this.onUnknown(error as Error)
      throw error
    }
  }

  #assertUp(): void {
    if (this.isDown) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  }
}
