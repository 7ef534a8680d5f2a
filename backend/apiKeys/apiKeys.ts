import type { EntityManager } from '@mikro-orm/postgresql'
import type pg from 'pg'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import type { Scope } from '../kernel/http/contract.ts'
import { must } from '../kernel/must.ts'
import { onlyRow } from '../kernel/postgres/onlyRow.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'
import { type Transaction, transaction } from '../kernel/postgres/transaction.ts'
import type { Clock } from '../kernel/time.ts'
import { type ApiKey, type KeyOrder, MAX_KEYS } from './contract.ts'
import { hashOf, makeKey } from './keyText.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** As the driver or the ORM returns it. */
type Time = Date | string

/** A row of the table `api_key`. */
export interface KeyRow {
  readonly id: string
  readonly user_id: string
  /** The purse that the limits apply to. */
  readonly purse_id: string
  readonly hint: string
  readonly name: string
  readonly scopes: Scope[]
  readonly credits_per_day: number | null
  readonly credits_per_month: number | null
  readonly models: string[] | null
  readonly networks: string[] | null
  readonly created_at: Time
  readonly expires_at: Time | null
  readonly ended_at: Time | null
  readonly last_used_at: Time | null
  readonly last_network: string | null
  /** The program that holds the key as a connection; null for keys that their user has made. */
  readonly client_id: string | null
  readonly client_host: string | null
  /** The team that pays for its orders; null: its user does. */
  readonly team_id: string | null
}

/** A key that someone other than its owner has ended. */
export type EndedKey = Pick<KeyRow, 'id' | 'user_id' | 'name' | 'hint' | 'client_id'>

/** Columns that a rotation copies, and the client of a connection. */
type Settings = Pick<
  KeyRow,
  'purse_id' | 'name' | 'scopes' | 'credits_per_day' | 'credits_per_month' | 'models' | 'networks' | 'expires_at'
> &
  Partial<Pick<KeyRow, 'client_id' | 'client_host' | 'team_id'>>

const COLUMNS = `id, user_id, purse_id, hint, name, scopes, credits_per_day, credits_per_month, models, networks, created_at,
  expires_at, ended_at, last_used_at, last_network, client_id, client_host, team_id`
/** Condition of the keys that work at the time of a parameter. */
const worksAt = (time: string) => `ended_at is null and (expires_at is null or expires_at > ${time})`
const END = 'update api_key set ended_at = $2 where ended_at is null'

const KEY_OF_TOKEN = 'select key_id from connection_token where hash = $1'
const FIND = `select ${COLUMNS}, null as token_expires_at from api_key where hash = $1
  union all select ${COLUMNS.replaceAll(/(\w+)/g, 'k.$1')}, t.expires_at from connection_token t join api_key k on k.id = t.key_id
  where t.hash = $1 and t.kind = 'access'`

/** Lifetime of the keys of a purse, ms; null: they never expire. One that was rotated has lost the rest of its own. */
const LIFE = `select case when bool_and(expires_at is not null)
  then round(max(extract(epoch from expires_at - created_at)) * 1000)::float8 end as life_ms from api_key where purse_id = $1`

/** Credits that a purse has held and spent today and this month. */
type KeySpending = Readonly<{ ofDay: number; ofMonth: number }>

const isoOf = (time: Time) => new Date(time).toISOString()

export type ApiKeys = ReturnType<typeof createApiKeys>

const viewOf = (stored: KeyRow, spent: KeySpending, team: string | undefined): ApiKey => {
  const { user_id: _, purse_id: __, ended_at: ___, client_id, client_host, team_id, ...row } = stored
  return {
    ...row,
    team: team_id === null ? null : { id: team_id, name: team ?? '' },
    client: client_id === null ? null : { host: client_host },
    spent_today: spent.ofDay,
    spent_this_month: spent.ofMonth,
    created_at: isoOf(row.created_at),
    expires_at: row.expires_at && isoOf(row.expires_at),
    last_used_at: row.last_used_at && isoOf(row.last_used_at),
  }
}

/**
 * Stores a new key, or a connection, which has tokens instead. The lock makes concurrent calls of a user wait, so that the limit
 * holds. @throws Rejection too_many_keys
 */
export async function insertKey(tx: Transaction, userId: string, id: string, now: Date, settings: Settings) {
  const isConnection = settings.client_id !== undefined
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`api keys of ${userId}`])
  const open = await tx.query(
    `select id from api_key where user_id = $1 and ${worksAt('$2')} and (client_id is not null) = $3`,
    [userId, now, isConnection],
  )
  if (open.length >= MAX_KEYS)
    throw new Rejection(
      'too_many_keys',
      `You have ${MAX_KEYS} ${isConnection ? 'connections' : 'API keys'}. End one that you no longer use.`,
    )
  const key = makeKey()
  const secret = isConnection ? { hash: null, hint: '' } : { hash: hashOf(key), hint: key.slice(-4) }
  const columns = { id, user_id: userId, ...secret, created_at: now, ...settings }
  const names = Object.keys(columns)
  const [row] = await tx.query<KeyRow>(
    `insert into api_key (${names}) values (${names.map((_, n) => `$${n + 1}`)}) returning ${COLUMNS}`,
    Object.values(columns),
  )
  return { key, row: must(row, 'key') }
}

/** Ends the keys and connections of a user that are younger than a time, in the caller's transaction. */
export const endKeysAfter = (tx: EntityManager, userId: string, after: Date, at: Date) =>
  query(tx, `${END} and user_id = $1 and created_at > $3`, [userId, at, after])

/** The teams that pay for what keys order. */
interface KeyTeams {
  /** @throws Rejection not_in_team */
  readonly payerIn: (teamId: string, userId: string) => Promise<string>
  /** Returns the name and the owner of a team; undefined if the owner was erased. */
  readonly read: (teamId: string) => Promise<Readonly<{ name: string; ownerId: string }> | undefined>
}

/**
 * Creates the service that makes, lists and ends API keys. Only their hashes are stored. See
 * docs/decisions/0066-keys-are-purses.md.
 * @param spentBy returns what a purse has held and spent of a user's credits
 */
export function createApiKeys(
  database: Database,
  pool: Pick<pg.Pool, 'query'>,
  clock: Clock,
  spentBy: (userId: string, purseId: string) => Promise<KeySpending>,
  teams: KeyTeams,
) {
  const view = async (row: KeyRow) => {
    const team = row.team_id === null ? undefined : await teams.read(row.team_id)
    return viewOf(row, await spentBy(team?.ownerId ?? row.user_id, row.purse_id), team?.name)
  }

  return {
    ...createLookups(pool, clock),
    ...createLists(pool, clock, view),

    /** Makes a key. @throws Rejection too_many_keys, not_in_team */
    async create(userId: string, { expires_in_days: days, ...order }: KeyOrder) {
      const [id, now] = [uuid7(), new Date(clock())]
      const expires_at = days === null ? null : new Date(now.getTime() + days * DAY_MS)
      const { credits_per_day = null, credits_per_month = null, models = null, networks = null, team_id = null } = order
      if (team_id !== null) await teams.payerIn(team_id, userId)
      const settings = {
        ...order,
        purse_id: id,
        credits_per_day,
        credits_per_month,
        models,
        networks,
        team_id,
        expires_at,
      }
      const { key, row } = await transaction(database, (tx) => insertKey(tx, userId, id, now, settings))
      return { ...(await view(row)), key }
    },

    /**
     * Makes a key with the settings, the purse and the lifetime of another, which ends after the overlap.
     * @throws Rejection not_found, too_many_keys
     */
    async rotate(userId: string, keyId: string, overlapHours: number) {
      const now = new Date(clock())
      const { key, row } = await transaction(database, (tx) => replaceKey(tx, userId, keyId, overlapHours, now))
      return { ...(await view(row)), key }
    },

    /** Ends a key of a user. @throws Rejection not_found */
    async end(userId: string, keyId: string): Promise<void> {
      const { rowCount } = await pool.query(`${END} and user_id = $1 and id = $3`, [
        userId,
        new Date(clock()),
        isUuid(keyId) ? keyId : null,
      ])
      if (rowCount === 0) throw new Rejection('not_found', 'This key has ended.')
    },
  }
}

/** Creates the lists of keys that work. */
function createLists(pool: Pick<pg.Pool, 'query'>, clock: Clock, view: (row: KeyRow) => Promise<ApiKey>) {
  return {
    /** Returns the keys of a user that work, newest first. */
    async list(userId: string): Promise<ApiKey[]> {
      const sql = `select ${COLUMNS} from api_key where user_id = $1 and ${worksAt('$2')} order by id desc`
      const { rows } = await pool.query<KeyRow>(sql, [userId, new Date(clock())])
      return Promise.all(rows.map(view))
    },

    /** Returns one page of the keys of all users that work, newest first, and their total number. Pages start at 1. */
    async listAll(page: number, perPage: number) {
      const now = new Date(clock())
      const { rows } = await pool.query<KeyRow>(
        `select ${COLUMNS} from api_key where ${worksAt('$2')} order by id desc limit $1 offset $3`,
        [perPage, now, (page - 1) * perPage],
      )
      const counted = await pool.query<{ total: number }>(
        `select count(*)::int as total from api_key where ${worksAt('$1')}`,
        [now],
      )
      const keys = await Promise.all(rows.map(async (row) => ({ ...(await view(row)), user_id: row.user_id })))
      return { keys, total: onlyRow(counted).total }
    },
  }
}

/** Makes the successor of a key, which ends after the overlap. */
async function replaceKey(tx: Transaction, userId: string, keyId: string, overlapHours: number, now: Date) {
  const [former] = await tx.query<KeyRow>(
    `select ${COLUMNS} from api_key where user_id = $1 and ${worksAt('$2')} and id = $3 and client_id is null for update`,
    [userId, now, isUuid(keyId) ? keyId : null],
  )
  if (!former) throw new Rejection('not_found', 'This key has ended.')
  const { purse_id, name, scopes, credits_per_day, credits_per_month, models, networks, team_id } = former
  const [{ life_ms } = { life_ms: null }] = await tx.query<{ life_ms: number | null }>(LIFE, [purse_id])
  const expires_at = life_ms === null ? null : new Date(now.getTime() + life_ms)
  const settings = { purse_id, name, scopes, credits_per_day, credits_per_month, models, networks, team_id, expires_at }
  const until = new Date(now.getTime() + overlapHours * HOUR_MS)
  await tx.query('update api_key set expires_at = least(expires_at, $2) where id = $1', [former.id, until])
  return insertKey(tx, userId, uuid7(), now, settings)
}

/** Creates what needs no user: lookups by the key itself, and by its end. */
function createLookups(pool: Pick<pg.Pool, 'query'>, clock: Clock) {
  const endWhere = async (condition: string, value: unknown): Promise<EndedKey | undefined> =>
    (
      await pool.query<EndedKey>(`${END} and ${condition} returning id, user_id, name, hint, client_id`, [
        value,
        new Date(clock()),
      ])
    ).rows[0]

  return {
    /** Returns the keys that expire within a week. A successor that shares their purse makes a reminder needless. */
    async expiring() {
      const { rows } = await pool.query<{ id: string; user_id: string; name: string; hint: string; expires_at: Date }>(
        `select id, user_id, name, hint, expires_at from api_key k where ended_at is null and client_id is null
           and expires_at > $1 and expires_at < $1::timestamptz + interval '7 days' and expires_at > created_at + interval '7 days'
           and not exists (select from api_key later where later.purse_id = k.purse_id and later.id > k.id)`,
        [new Date(clock())],
      )
      return rows
    },

    /**
     * Ends the key, or the connection of the token, that someone holds, which is the proof. Returns undefined if it is not known.
     */
    endFound: (key: string) => endWhere(`(hash = $1 or id = (${KEY_OF_TOKEN}))`, hashOf(key)),

    /** Ends a key of any user. Returns undefined if it is not known. */
    endAny: async (keyId: string) => (isUuid(keyId) ? endWhere('id = $1', keyId) : undefined),

    /** Returns the row of a key or of an access token, also of one that has ended; undefined if it is not known. */
    async find(key: string): Promise<KeyRow | undefined> {
      const { rows } = await pool.query<KeyRow & { token_expires_at: Date | null }>(FIND, [hashOf(key)])
      const [row] = rows
      return row && { ...row, expires_at: row.token_expires_at ?? row.expires_at }
    },

    /** Returns up to ten keys that work or have ended, by the whole key or its last four characters. */
    async findNamed(text: string) {
      const { rows } = await pool.query<Pick<KeyRow, 'id' | 'user_id' | 'name' | 'hint'>>(
        'select id, user_id, name, hint from api_key where hash = $1 or hint = $2 order by id desc limit 10',
        [hashOf(text), text.replace(/^…/, '')],
      )
      return rows
    },

    /** Records a use, at most once a minute. */
    async touch(id: string, network: string | null): Promise<void> {
      const now = new Date(clock())
      await pool.query('update api_key set last_used_at = $2, last_network = $3 where id = $1', [id, now, network])
    },
  }
}
