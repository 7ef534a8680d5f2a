import type pg from 'pg'
import type { Database } from '../../kernel/postgres/orm.ts'
import { keyFor, seal, unseal } from './seal.ts'

/** Purposes for which keys are made from the master key (see {@link keyFor}) and kept in use by what lies in tables. */
export const FREE_GRANTS = 'free grants'
export const OUTGOING_MAIL_KEY = 'outgoing mails'

/** The keys of a purpose that were made from earlier master keys, the latest first. Read once: they change with a restart. */
export function formerKeys(database: Database, masterKey: string, purpose: string): () => Promise<readonly Buffer[]> {
  let read: Promise<Buffer[]> | undefined
  return () => {
    read ??= database.em
      .fork()
      .execute<{ sealed: string }[]>('select sealed from key_ring where purpose = ? order by rotated_at desc', [
        purpose,
      ])
      .then((rows) => rows.map(({ sealed }) => unseal(Buffer.from(masterKey, 'hex'), sealed)))
    read.catch(() => {
      read = undefined
    })
    return read
  }
}

export interface Rotated {
  readonly userKeys: number
  readonly mails: number
}

const PAGE = 1_000

/**
 * Seals with a new master key what was sealed with the old one: users' keys, mails on their way, earlier keys that are still
 * needed. All or nothing, in the caller's transaction. @throws Error something does not open with the old key
 */
export async function rotateKeys(client: pg.ClientBase, from: string, to: string): Promise<Rotated> {
  const [old, next] = [Buffer.from(from, 'hex'), Buffer.from(to, 'hex')]
  await client.query('lock table user_key, outgoing_mail, key_ring in access exclusive mode')
  const again = (sealed: string, [by, then]: readonly [Buffer, Buffer]) => seal(then, unseal(by, sealed))

  const userKeys = await resealed(client, { table: 'user_key', id: 'user_id', column: 'wrapped_key' }, (sealed) =>
    again(sealed, [old, next]),
  )
  const mail = [keyFor(OUTGOING_MAIL_KEY, from), keyFor(OUTGOING_MAIL_KEY, to)] as const
  const mails = await resealed(client, { table: 'outgoing_mail', id: 'id', column: 'sealed' }, (sealed) =>
    again(sealed, mail),
  )
  const { rows } = await client.query<{ sealed: string }>('select sealed from key_ring')
  for (const { sealed } of rows)
    await client.query('update key_ring set sealed = $2 where sealed = $1', [sealed, again(sealed, [old, next])])
  await client.query('insert into key_ring values ($1, $2, now())', [
    FREE_GRANTS,
    seal(next, keyFor(FREE_GRANTS, from)),
  ])
  return { userKeys, mails }
}

async function resealed(
  client: pg.ClientBase,
  { table, id, column }: { table: string; id: string; column: string },
  again: (sealed: string) => string,
): Promise<number> {
  let count = 0
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await client.query<{ id: string; sealed: string }>(
      `select ${id} as id, ${column} as sealed from ${table} where ${id} > $1 order by ${id} limit ${PAGE}`,
      [after],
    )
    if (rows.length === 0) return count
    const changed = rows.map((row) => ({ id: row.id, sealed: again(row.sealed) }))
    await client.query(
      `update ${table} t set ${column} = c.sealed from jsonb_to_recordset($1::jsonb) as c(id uuid, sealed text) where t.${id} = c.id`,
      [JSON.stringify(changed)],
    )
    count += rows.length
    after = rows.at(-1)!.id
  }
}
