import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context } from 'koa'
import type pg from 'pg'
import { coarseNetwork } from '../../kernel/http/fairness/networkAddress.ts'
import { onlyRow } from '../../kernel/postgres/onlyRow.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query, queryOne } from '../../kernel/postgres/query.ts'
import type { SecurityEvent } from '../contract.ts'
import { parseUserAgent } from '../sessions/userAgent.ts'

/** Events that the operator sees. The index `security_record_trouble` covers them. */
const TROUBLE = `('sign_in_failed', 'second_factor_failed', 'throttled')`

/** Browser, operating system and network of a request; each is null if unknown. */
export const originOf = (ctx: Context) => ({ ...parseUserAgent(ctx.get('User-Agent')), network: coarseNetwork(ctx) })

interface Origin {
  readonly browser: string | null
  readonly system: string | null
  readonly network: string | null
}

interface Row<Time> extends Origin {
  readonly id: string
  readonly at: Time
  readonly event: SecurityEvent
}

export type SecurityLog = ReturnType<typeof createSecurityLog>

/**
 * Creates the security log: what happened to each account's access, with device and network. A trigger refuses changes
 * and early deletions. See docs/decisions/0018-security-log.md.
 */
export function createSecurityLog(database: Database) {
  const insert = async (
    { browser, system, network }: Origin,
    userId: string | null,
    event: SecurityEvent,
    tx: EntityManager = database.em.fork(),
  ): Promise<void> => {
    // A concurrent request can erase the account; the lock makes it wait.
    await query(
      tx,
      `insert into security_record (at, user_id, event, browser, system, network)
       select now(), $1::uuid, $2, $3, $4, $5 where $6::uuid is null or exists (select from user_account where id = $7 for key share)`,
      [userId, event, browser, system, network, userId, userId],
    )
  }

  /** Appends a record, in the caller's transaction if there is one. `userId` is null if there is no account. */
  const record = (ctx: Context, userId: string | null, event: SecurityEvent, tx?: EntityManager): Promise<void> =>
    insert(originOf(ctx), userId, event, tx)

  return {
    record,

    /** Appends a record of what the operator did, whose device is not the user's business. */
    recordOfOperator: (userId: string, event: SecurityEvent, tx?: EntityManager): Promise<void> =>
      insert({ browser: null, system: null, network: null }, userId, event, tx),

    /** Appends at most one record per minute, account and network, so that a flood of requests stays small. */
    async recordThrottle(ctx: Context, userId: string | null): Promise<void> {
      const [recent] = await query<object>(
        database,
        `select 1 from security_record where at > now() - interval '1 minute' and event = 'throttled'
           and user_id is not distinct from $1::uuid and network is not distinct from $2 limit 1`,
        [userId, coarseNetwork(ctx)],
      )
      if (!recent) await record(ctx, userId, 'throttled')
    },

    /** Returns one page of a user's records, newest first, and their total number. Pages start at 1. */
    async list(userId: string, page: number, perPage: number): Promise<{ rows: Row<string>[]; total: number }> {
      const em = database.em.fork()
      const rows = await query<Row<string>>(
        em,
        `select id, at, event, browser, system, network from security_record where user_id = $1
         order by id desc limit $2 offset $3`,
        [userId, perPage, (page - 1) * perPage],
      )
      const sql = 'select count(*)::int as total from security_record where user_id = $1'
      const { total } = await queryOne<{ total: number }>(em, sql, [userId])
      return { rows, total }
    },
  }
}

type Queries = Pick<pg.ClientBase, 'query'>

/** Returns one page of failures and throttles of all accounts, newest first, and their total number. */
export async function listTrouble(pool: Queries, page: number, perPage: number) {
  const { rows } = await pool.query<Row<Date> & { email: string | null }>(
    `select r.id, at, event, browser, system, network, email from security_record r
     left join user_account a on a.id = r.user_id where event in ${TROUBLE} order by r.id desc limit $1 offset $2`,
    [perPage, (page - 1) * perPage],
  )
  const sql = `select count(*)::int as total from security_record where event in ${TROUBLE}`
  const counted = await pool.query<{ total: number }>(sql)
  return { rows, total: onlyRow(counted).total }
}

/** Deletes records that are older than 90 days by the system clock. The trigger refuses younger ones. */
export async function deleteOldSecurityRecords(pool: Queries): Promise<void> {
  await pool.query(`delete from security_record where at < now() - interval '90 days'`)
}
