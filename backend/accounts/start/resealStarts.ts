import type pg from 'pg'
import { opens, seal, unseal } from '../keys/seal.ts'
import { aboutStart, startKey } from './startDrafts.ts'

const TABLES = ['start_link', 'start_image'] as const

/** Re-encrypts the drafts and pictures of sign-in links with a new master key, within the caller's transaction. */
export async function resealStarts(client: pg.ClientBase, from: string, to: string): Promise<void> {
  for (const table of TABLES) {
    const sql = `select id, sealed from ${table} where sealed is not null for update`
    const { rows } = await client.query<{ id: string; sealed: string }>(sql)
    for (const { id, sealed } of rows) {
      const about = aboutStart(id)
      // A draft under an older key has been unreadable before.
      if (!opens(startKey(from), sealed, about)) continue
      const resealed = seal(startKey(to), unseal(startKey(from), sealed, about), about)
      await client.query(`update ${table} set sealed = $2 where id = $1`, [id, resealed])
    }
  }
}
