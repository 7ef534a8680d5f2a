import type pg from 'pg'
import { keyFor } from './seal.ts'
import { opensUserKey, readWrappedKeys } from './userKeys.ts'

/** The configured master key is not the one that sealed the data. */
export class WrongMasterKey extends Error {
  override name = 'WrongMasterKey'
}

type Queries = Pick<pg.ClientBase, 'query'>

/** Identifies a master key without revealing it. */
const fingerprintOf = (masterKey: string): string => keyFor('fingerprint', masterKey).toString('hex')

/**
 * Rejects a master key other than the one that sealed the users' keys. A database without a fingerprint gets the one of
 * the first key that opens any of them. @throws WrongMasterKey with instructions for the operator
 */
export async function refuseWrongMasterKey(database: Queries, masterKey: string): Promise<void> {
  const own = fingerprintOf(masterKey)
  if (!(await readFingerprint(database)) && (await opensAny(database, masterKey)))
    await database.query('insert into master_key (fingerprint) values ($1) on conflict do nothing', [own])
  if ((await readFingerprint(database)) !== own) throw new WrongMasterKey(REMEDY)
}

const REMEDY =
  'ENCRYPTION_KEY is not the key of this database. Set ENCRYPTION_KEY to that key, or copy the original secrets.json ' +
  'into DATA_DIR. If there is a secrets.json.new, it has the key: a rotation was interrupted. If the key is lost, the prompts are lost: stop all processes and run: npm run rotate-key -- --key-lost'

/** Replaces the fingerprint, after the data has been sealed with another master key. */
export async function saveFingerprint(database: Queries, masterKey: string): Promise<void> {
  const sql =
    'insert into master_key (fingerprint) values ($1) on conflict (one) do update set fingerprint = excluded.fingerprint'
  await database.query(sql, [fingerprintOf(masterKey)])
}

async function readFingerprint(database: Queries): Promise<string | undefined> {
  const { rows } = await database.query<{ fingerprint: string }>('select fingerprint from master_key')
  return rows[0]?.fingerprint
}

async function opensAny(database: Queries, masterKey: string): Promise<boolean> {
  const keys = await readWrappedKeys(database)
  return keys.length === 0 || keys.some((key) => opensUserKey(masterKey, key))
}
