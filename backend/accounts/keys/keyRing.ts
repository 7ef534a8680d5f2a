import type pg from 'pg'
import { rewriteBodies } from '../../kernel/outbox/outbox.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import { saveFingerprint } from './masterKey.ts'
import { type About, keyFor, opens, seal, unseal, wrappingKey } from './seal.ts'
import { opensUserKey, readWrappedKeys, rewrapUserKey } from './userKeys.ts'
import { aboutYear, readYearKeys } from './yearKeys.ts'

/** Purposes of derived keys (see {@link keyFor}) that protect stored data. */
export const FREE_GRANTS = 'free grants'
export const CODES = 'codes'
const OUTGOING_MAIL_KEY = 'outgoing mails'

/** Returns the key that seals outgoing emails. */
export const mailKey = (masterKey: string): Buffer => keyFor(OUTGOING_MAIL_KEY, masterKey)

export const aboutMail = (id: string, userId: string): About => ({ purpose: OUTGOING_MAIL_KEY, userId, row: id })

/** Purposes whose hashes outlive a change of the master key. */
const KEPT_FOR = [FREE_GRANTS, CODES]

const aboutFormerKey = (purpose: string): About => ({ purpose: 'key ring', row: purpose })

/** Returns the keys derived for a purpose from earlier master keys, newest first. */
export async function formerKeys(database: Database, masterKey: string, purpose: string): Promise<Buffer[]> {
  const sql = 'select sealed from key_ring where purpose = $1 order by rotated_at desc'
  const rows = await query<{ sealed: string }>(database, sql, [purpose])
  return rows.map(({ sealed }) => unseal(wrappingKey(masterKey), sealed, aboutFormerKey(purpose)))
}

/** Users' keys per statement. */
const BATCH = 1_000

/**
 * Re-encrypts users' keys, the keys of years, undelivered emails and former keys with a new master key, within the caller's transaction.
 * Master keys are 64 hexadecimal digits. @throws Error if a value cannot be decrypted with the old key
 */
export async function rotateKeys(client: pg.ClientBase, from: string, to: string) {
  await client.query('lock table user_key, year_key, key_ring in access exclusive mode')
  const wrapped = await readWrappedKeys(client)
  for (let at = 0; at < wrapped.length; at += BATCH) {
    const batch = wrapped.slice(at, at + BATCH)
    const rewrapped = batch.map((row) => ({ id: row.user_id, sealed: rewrapUserKey(from, to, row) }))
    await client.query(
      `update user_key t set wrapped_key = c.sealed
       from jsonb_to_recordset($1::jsonb) as c(id uuid, sealed text) where t.user_id = c.id`,
      [JSON.stringify(rewrapped)],
    )
  }
  for (const { year, wrapped_key } of await readYearKeys(client)) {
    const key = unseal(wrappingKey(from), wrapped_key, aboutYear(year))
    const resealed = seal(wrappingKey(to), key, aboutYear(year))
    await client.query('update year_key set wrapped_key = $2 where year = $1', [year, resealed])
  }
  const mails = await rewriteBodies(client, 'mail', ({ id, userId, body }) => {
    const about = aboutMail(id, userId)
    return seal(mailKey(to), unseal(mailKey(from), body, about), about)
  })

  for (const { purpose, sealed } of await readKeyRing(client)) {
    const about = aboutFormerKey(purpose)
    const resealed = seal(wrappingKey(to), unseal(wrappingKey(from), sealed, about), about)
    await client.query('update key_ring set sealed = $2 where sealed = $1', [sealed, resealed])
  }
  for (const purpose of KEPT_FOR) {
    const former = seal(wrappingKey(to), keyFor(purpose, from), aboutFormerKey(purpose))
    await client.query('insert into key_ring values ($1, $2, clock_timestamp())', [purpose, former])
  }
  await saveFingerprint(client, to)
  return { userKeys: wrapped.length, mails: mails.rewritten }
}

/**
 * Deletes what a lost master key sealed and the given one does not open, within the caller's transaction: users' keys, keys of years,
 * authenticator apps, with the recovery codes of accounts that have no passkey, and mails. The given key becomes the key
 * of the database.
 */
export async function abandonLostKey(client: pg.ClientBase, masterKey: string) {
  const lostKeys = (await readWrappedKeys(client)).filter((row) => !opensUserKey(masterKey, row))
  const users = lostKeys.map(({ user_id }) => user_id)
  await client.query('delete from user_key where user_id = any($1::uuid[])', [users])
  // A secret that cannot be read accepts no code and would keep its owner out.
  const apps = await client.query<{ confirmed: boolean }>(
    'delete from authenticator where owner = any($1::uuid[]) returning confirmed_at is not null as confirmed',
    [users],
  )
  await client.query(
    `delete from recovery_code where owner = any($1::uuid[])
       and not exists (select from passkey where passkey.owner = recovery_code.owner)`,
    [users],
  )
  const authenticators = apps.rows.filter(({ confirmed }) => confirmed).length
  const mails = await rewriteBodies(client, 'mail', ({ id, userId, body }) =>
    opens(mailKey(masterKey), body, aboutMail(id, userId)) ? body : null,
  )
  for (const { year, wrapped_key } of await readYearKeys(client))
    if (!opens(wrappingKey(masterKey), wrapped_key, aboutYear(year)))
      await client.query('delete from year_key where year = $1', [year])
  for (const { purpose, sealed } of await readKeyRing(client))
    if (!opens(wrappingKey(masterKey), sealed, aboutFormerKey(purpose)))
      await client.query('delete from key_ring where sealed = $1', [sealed])
  await saveFingerprint(client, masterKey)
  return { userKeys: lostKeys.length, authenticators, mails: mails.ended }
}

const readKeyRing = async (client: pg.ClientBase) =>
  (await client.query<{ purpose: string; sealed: string }>('select purpose, sealed from key_ring')).rows
