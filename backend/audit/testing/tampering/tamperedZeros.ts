import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type pg from 'pg'
import { type DailyZero, isZero, signZero } from '../../zero/dailyZero.ts'
import { sql, type Tampering } from './tampering.ts'

const [first, second, third] = ['2026-01-10', '2026-01-11', '2026-01-12'] as const

/** A zero of a day on which the till had a cent more, if it is not zero. */
const zeroOf = (day: string, isZeroDay = true): DailyZero => ({
  ...({
    format: 'kinora-zero-1',
    day,
    computedAt: `${day}T23:59:59.000Z`,
    sales: 1,
    refunds: 0,
    unreached: [],
  } as const),
  totals: [{ currency: 'USD', till: isZeroDay ? 1299 : 1300, subscriptions: 1299 }],
  credits: { sold: 300, granted: 300 },
  differences: isZeroDay
    ? []
    : [{ what: 'sale', id: 'SALE-1', currency: 'USD', till: 1300, subscriptions: 1299, ledger: null }],
})

async function put(pool: pg.Pool, key: KeyObject, zero: DailyZero): Promise<void> {
  const { text, signature, publicKey } = signZero(zero, key)
  await pool.query('delete from daily_zero where day = $1', [zero.day])
  await pool.query('insert into daily_zero values ($1, $2, $3, $4, $5)', [
    ...[zero.day, isZero(zero), text, signature, publicKey],
  ])
}

/** Stores the zeros of three days, of which the second is not zero. */
export async function seedZeros(pool: pg.Pool, key: KeyObject): Promise<void> {
  for (const day of [first, second, third]) await put(pool, key, zeroOf(day, day !== second))
}

const of = (day: string, wrong: string) => [{ check: 'zero', wrong: new RegExp(`daily zero of ${day} ${wrong}`) }]
const where = `where day = '${second}'`

/** Daily zeros that were edited, replaced or removed. */
export const ZEROS: readonly Tampering[] = [
  {
    what: 'a daily zero whose figures are edited',
    does: sql(`update daily_zero set record = replace(record, '1300', '1299') ${where}`),
    names: of(second, 'is not what was signed'),
  },
  {
    what: 'a daily zero whose signature is edited',
    does: sql(`update daily_zero set signature = reverse(signature) ${where}`),
    names: of(second, 'is not what was signed'),
  },
  {
    what: 'a daily zero that is signed with another key',
    does: (pool) => put(pool, generateKeyPairSync('ed25519').privateKey, zeroOf(second)),
    names: of(second, 'is signed with the key \\w+, which is not known'),
  },
  {
    what: 'a difference that is hidden behind the signed zero of another day',
    does: sql(`update daily_zero set (record, signature, is_zero) =
      (select record, signature, is_zero from daily_zero where day = '${first}') ${where}`),
    names: of(second, `is the one of ${first}`),
  },
  {
    what: 'a day with a difference that is stored as zero',
    does: sql(`update daily_zero set is_zero = true ${where}`),
    names: of(second, 'is stored as zero, which it is not'),
  },
  {
    what: 'a daily zero that is removed',
    does: sql(`delete from daily_zero ${where}`),
    names: [{ check: 'zero', wrong: new RegExp(`1 daily zeros are missing between ${first} and ${third}`) }],
  },
]
