import type pg from 'pg'

type Queries = Pick<pg.ClientBase, 'query'>

// A database has this table from the start of a restore until its files are there and accounts are erased again.
export const markUnfinished = (client: Queries) => client.query('create table if not exists unfinished_restore ()')
export const markFinished = (client: Queries) => client.query('drop table unfinished_restore')

/** The restore into a database was interrupted. */
export class UnfinishedRestore extends Error {
  override name = 'UnfinishedRestore'
}

/** @throws UnfinishedRestore */
export async function refuseUnfinishedRestore(client: Queries): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('unfinished_restore') is not null as found`,
  )
  if (rows[0]!.found)
    throw new UnfinishedRestore(
      'The restore into this database was interrupted. Restore the backup into a new, empty place.',
    )
}
