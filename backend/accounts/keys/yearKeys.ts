import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import { type About, seal, unseal, wrappingKey } from './seal.ts'

export const aboutYear = (year: number): About => ({ purpose: 'year key', row: String(year) })

/**
 * Creates the encryption of texts that must outlive their user's account for some years, with one key per year:
 * destroying it erases the texts of that year in the event log. Keys are stored wrapped with the master key.
 */
export function createYearKeys(database: Database, masterKey: string) {
  const wrapping = wrappingKey(masterKey)
  const keyOf = async (year: number) => {
    const sql = 'select wrapped_key from year_key where year = $1'
    const [row] = await query<{ wrapped_key: string }>(database, sql, [year])
    return row && unseal(wrapping, row.wrapped_key, aboutYear(year))
  }

  return {
    async encrypt(year: number, about: About, text: string): Promise<string> {
      const wrapped = seal(wrapping, randomBytes(32), aboutYear(year))
      await query(database, 'insert into year_key values ($1, $2) on conflict do nothing', [year, wrapped])
      return seal((await keyOf(year))!, Buffer.from(text), about)
    },

    /** Returns the text; undefined if the year's key was destroyed. @throws Error it was damaged */
    async decrypt(year: number, about: About, sealed: string): Promise<string | undefined> {
      const key = await keyOf(year)
      return key && unseal(key, sealed, about).toString()
    },

    /** Destroys the keys of all years before this one. */
    async destroyBefore(year: number): Promise<void> {
      await query(database, 'delete from year_key where year < $1', [year])
    },
  }
}

/** Returns the key of every year, wrapped with the master key. */
export const readYearKeys = async (client: Pick<pg.ClientBase, 'query'>) =>
  (await client.query<{ year: number; wrapped_key: string }>('select year, wrapped_key from year_key')).rows

/** Returns the opener of texts by year, which returns undefined if the year's key was destroyed. */
export async function openYearKeys(client: Pick<pg.ClientBase, 'query'>, masterKey: string) {
  const rows = await readYearKeys(client)
  const keys = new Map(
    rows.map(({ year, wrapped_key }) => [year, unseal(wrappingKey(masterKey), wrapped_key, aboutYear(year))]),
  )
  return (year: number, about: About, sealed: string): string | undefined => {
    const key = keys.get(year)
    return key && unseal(key, sealed, about).toString()
  }
}
