import type pg from 'pg'
import { ConfigError } from '../../app/config/environment.ts'

type Queries = Pick<pg.ClientBase, 'query'>

// A database has this table from the start of a restore until its files are there and accounts are erased again.
export const markUnfinished = (client: Queries) => client.query('create table if not exists unfinished_restore ()')
export const markFinished = (client: Queries) => client.query('drop table unfinished_restore')

/** @throws ConfigError the restore into this database was interrupted */
export async function refuseUnfinishedRestore(client: Queries): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('unfinished_restore') is not null as found`,
  )
  if (rows[0]!.found)
    throw new ConfigError('The restore into this database was interrupted. Restore the backup into a new, empty place.')
}
