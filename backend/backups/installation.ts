import type pg from 'pg'
import type { Database } from '../kernel/postgres/orm.ts'

/** Where an installation keeps its data. */
export interface DataPlaces {
  readonly dataDir: string
  /** The database, or undefined if it is embedded in `dataDir`. */
  readonly database: { readonly url: string } | undefined
  /** Present if the log is in EventStoreDB. */
  readonly eventStore: unknown
  /** Present if media are in a bucket. */
  readonly storage: unknown
}

/** Secrets that a copy contains even if `dataDir` does not have them. */
export interface Secrets {
  readonly secrets: { readonly session: string; readonly encryption: string }
  readonly operators: { readonly password: string }
  /** Key that signs heads of the ledger, if it is not in `dataDir`. */
  readonly auditKeyFile: string | undefined
}

/** What a restore needs of the product. The composition root supplies it. */
export interface Product {
  /** Names of the migrations of this version, oldest first. */
  readonly migrations: readonly string[]
  /** Refuses a backup with these migrations if it was made before the first release. @throws ConfigError */
  refuseFormerData(migrations: readonly string[]): void
  openDatabase(connection: pg.ClientConfig): Promise<Database>
  /** Applies all pending migrations. */
  migrate(database: Database, pool: pg.Pool): Promise<void>
  /** Creates the table of the log. */
  installLog(pool: pg.Pool): Promise<void>
  /** Erases accounts that a restored installation contains. Returns their number. */
  eraseAgain(database: Database, dataDir: string, userIds: Iterable<string>): Promise<number>
  /** Opens the key of every user. Returns how many there are, and what is wrong. */
  proveKeys(client: pg.ClientBase, masterKey: string | undefined): Promise<{ count: number; wrong: string | undefined }>
}
