import type pg from 'pg'
import { pause } from '../../kernel/backoff.ts'
import { leased, type Running } from '../../kernel/postgres/leased.ts'
import type { Leases } from '../../kernel/postgres/leases.ts'
import type { Calendar } from '../../kernel/time.ts'
import { signingKey } from '../signingKey.ts'
import { computeZero, isZero, sentenceOf, signZero, type ZeroDeps } from './dailyZero.ts'

/** Alert while a day of the last week is not zero. */
const ZERO_DIFFERS = 'daily_zero'

const DAY_MS = 24 * 3_600_000
/** Time after the end of a day in which late webhooks are booked. */
const SETTLING_MS = 2 * 3_600_000
/** Days that are looked at again while they are not zero. */
const DAYS = 7
const TIMING = { first: 90_000, every: 3_600_000 }

interface ZerosContext extends ZeroDeps {
  readonly config: { readonly auditKeyFile: string | undefined; readonly dataDir: string }
  readonly pool: pg.Pool
  readonly calendar: Calendar
  readonly leases: Leases
  readonly alerts: { raise(code: string, detail: string): Promise<void>; clear(code: string): Promise<void> }
  readonly log: Record<'info' | 'warn' | 'error', (data: object, message: string) => void>
}

/** Computes, signs and stores the zeros of the last days that are missing or not zero, and alerts the operator. */
export async function writeZeros(context: ZerosContext): Promise<void> {
  const { pool, calendar, config, alerts, log } = context
  const key = signingKey(config.auditKeyFile, config.dataDir)
  const last = new Date(calendar() - SETTLING_MS - DAY_MS)
  // Oldest first, from the newest zero on, so that none is missing between two others.
  const { rows: days } = await pool.query<{ day: string }>(
    `select series.day::date::text as day from generate_series(
       least($1::date - $2::int, (select max(day) + 1 from daily_zero)), $1::date, '1 day') as series (day)
     where not exists (select from daily_zero where daily_zero.day = series.day and is_zero) order by 1`,
    [last.toISOString().slice(0, 10), DAYS - 1],
  )
  const wrong: string[] = []
  for (const { day } of days) {
    const zero = await computeZero(context, day, new Date(calendar()).toISOString())
    const { text, signature, publicKey } = signZero(zero, key)
    await pool.query(
      `insert into daily_zero (day, is_zero, record, signature, public_key) values ($1, $2, $3, $4, $5)
       on conflict (day) do update set is_zero = excluded.is_zero, record = excluded.record,
         signature = excluded.signature, public_key = excluded.public_key`,
      [day, isZero(zero), text, signature, publicKey],
    )
    wrong.push(...zero.differences.map((each) => `${day}: ${sentenceOf(each)}`))
  }
  if (wrong.length > 0) {
    log.error({ differences: wrong.slice(0, 20) }, 'till, subscriptions and ledger differ')
    await alerts.raise(ZERO_DIFFERS, `${wrong.length}: ${wrong.slice(0, 5).join('; ')}`)
  } else await alerts.clear(ZERO_DIFFERS)
}

/** Keeps the daily zeros up to date, in one process at a time. */
export const startZeros = (context: ZerosContext, { first, every } = TIMING): Running =>
  leased(context.leases, 'zeros', () => {
    const halt = new AbortController()
    const run = async () => {
      for (let wait = first; ; wait = every) {
        await pause(wait, halt.signal)
        if (halt.signal.aborted) return
        await writeZeros(context).catch((err) => context.log.warn({ err }, 'daily zero not computed, retrying'))
      }
    }
    const done = run()
    return {
      started: Promise.resolve(),
      async stop() {
        halt.abort()
        await done
      },
    }
  })

export interface StoredZero {
  readonly day: string
  readonly is_zero: boolean
  readonly record: string
  readonly signature: string
  readonly public_key: string
}

/** Returns the newest zeros; all if `limit` is null. */
export const readZeros = async (pool: Pick<pg.Pool, 'query'>, limit: number | null): Promise<StoredZero[]> =>
  (
    await pool.query<StoredZero>(
      'select day::text, is_zero, record, signature, public_key from daily_zero order by day desc limit $1',
      [limit],
    )
  ).rows

/** Export of the zeros, with what a stranger needs to verify them. Takes the period's first and last day. */
export const ZEROS_FILE = {
  columns: ['day', 'zero', 'record', 'signature', 'public_key'],
  sql: `select day::text, is_zero, record, signature, public_key from daily_zero
    where day between $1::date and $2::date order by day`,
} as const
