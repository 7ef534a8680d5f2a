import { expect, it } from 'vitest'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { startTemporaryDatabase } from '../testing/temporaryDatabase.ts'
import { historyCsv } from './contract.ts'
import { serveCredits } from './routes.ts'

const ENTRIES = 2_500

it('lists each entry once although others are added while it is read', async () => {
  const db = await startTemporaryDatabase()
  const userId = derivedId('user')
  const add = (first: number, last: number) =>
    db.pool.query(
      `insert into credit_entry select gen_random_uuid(), $1, n, 'grant', 1, 'entry ' || n, null, null, now()
       from generate_series($2::int, $3::int) n`,
      [userId, first, last],
    )
  await add(1, ENTRIES)
  let added = ENTRIES
  const execute = async (sql: string, values: unknown[]) => {
    const rows = await db.database.em.fork().execute(sql, values)
    await add(added + 1, added + 3)
    added += 3
    return rows
  }
  const served = new Map<unknown, (call: object) => Promise<unknown>>()
  const serve = (endpoint: unknown, handler: never) => void served.set(endpoint, handler)
  serveCredits(serve as never, {
    database: { em: { fork: () => ({ execute }) } } as never,
    filmsOf: async () => new Map(),
    ownerOf: async () => userId,
    nameOf: async () => undefined,
  })
  const ctx = { body: '', attachment() {} }
  await served.get(historyCsv)!({ userId, query: {}, ctx })
  const reasons = ctx.body.match(/entry \d+/g)
  expect(reasons).toEqual(Array.from({ length: ENTRIES }, (_, n) => `entry ${ENTRIES - n}`))
  await db.close()
})
