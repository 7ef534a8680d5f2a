import type pg from 'pg'
import type { Database } from '../../kernel/postgres/orm.ts'
import { saveFingerprint } from './masterKey.ts'
import { keyFor, opens, seal, unseal } from './seal.ts'

/** Purposes of derived keys (see {@link keyFor}) that protect stored data. */
export const FREE_GRANTS = 'free grants'
export const OUTGOING_MAIL_KEY = 'outgoing mails'

/** Returns the keys derived for a purpose from earlier master keys, newest first. */
export async function formerKeys(database: Database, masterKey: string, purpose: string): Promise<Buffer[]> {
  const sql = 'select sealed from key_ring where purpose = ? order by rotated_at desc'
  const rows = await database.em.fork().execute<{ sealed: string }[]>(sql, [purpose])
  return rows.map(({ sealed }) => unseal(Buffer.from(masterKey, 'hex'), sealed))
}

const PAGE = 1_000

/**
 * Re-encrypts users' keys, undelivered emails and former keys with a new master key, within the caller's transaction.
 * Master keys are 64 hexadecimal digits. @throws Error if a value cannot be decrypted with the old key
 */
export async function rotateKeys(client: pg.ClientBase, from: string, to: string) {
  const [old, next] = [Buffer.from(from, 'hex'), Buffer.from(to, 'hex')]
  await client.query('lock table user_key, outgoing_mail, key_ring in access exclusive mode')
  const reseal = (sealed: string) => seal(next, unseal(old, sealed))
  const [oldMailKey, nextMailKey] = [keyFor(OUTGOING_MAIL_KEY, from), keyFor(OUTGOING_MAIL_KEY, to)]
  const resealMail = (sealed: string) => seal(nextMailKey, unseal(oldMailKey, sealed))

  const userKeys = await resealAll(client, { table: 'user_key', id: 'user_id', column: 'wrapped_key' }, reseal)
  const mails = await resealAll(client, { table: 'outgoing_mail', id: 'id', column: 'sealed' }, resealMail)
  const { rows } = await client.query<{ sealed: string }>('select sealed from key_ring')
  for (const { sealed } of rows)
    await client.query('update key_ring set sealed = $2 where sealed = $1', [sealed, reseal(sealed)])
  const former = [FREE_GRANTS, seal(next, keyFor(FREE_GRANTS, from))]
  await client.query('insert into key_ring values ($1, $2, now())', former)
  await saveFingerprint(client, to)
  return { userKeys, mails }
}

/**
 * Deletes what a lost master key sealed and the given one does not open, within the caller's transaction. The given key
 * becomes the key of the database.
 */
export async function abandonLostKey(client: pg.ClientBase, masterKey: string) {
  const master = Buffer.from(masterKey, 'hex')
  const remove = async (table: string, column: string, key: Buffer) => {
    const { rows } = await client.query<{ sealed: string }>(`select ${column} as sealed from ${table}`)
    const lost = rows.map(({ sealed }) => sealed).filter((sealed) => !opens(key, sealed))
    await client.query(`delete from ${table} where ${column} = any($1)`, [lost])
    return lost.length
  }
  const userKeys = await remove('user_key', 'wrapped_key', master)
  const mails = await remove('outgoing_mail', 'sealed', keyFor(OUTGOING_MAIL_KEY, masterKey))
  await remove('key_ring', 'sealed', master)
  await saveFingerprint(client, masterKey)
  return { userKeys, mails }
}

type Sealed = Readonly<{ table: string; id: string; column: string }>

async function resealAll(client: pg.ClientBase, { table, id, column }: Sealed, reseal: (sealed: string) => string) {
  let count = 0
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await client.query<{ id: string; sealed: string }>(
      `select ${id} as id, ${column} as sealed from ${table} where ${id} > $1 order by ${id} limit ${PAGE}`,
      [after],
    )
    if (rows.length === 0) return count
    const changed = rows.map((row) => ({ id: row.id, sealed: reseal(row.sealed) }))
    await client.query(
      `update ${table} t set ${column} = c.sealed from jsonb_to_recordset($1::jsonb) as c(id uuid, sealed text) where t.${id} = c.id`,
      [JSON.stringify(changed)],
    )
    count += rows.length
    after = rows.at(-1)!.id
  }
}
