import { expect, it } from 'vitest'
import { withIdempotencyKey } from './idempotency.ts'

it('a retry runs although its key is released while it is looked up', async () => {
  let inserts = 0
  const execute = async (sql: string, [, , body_hash, subject_id]: string[]) =>
    sql.startsWith('insert') && ++inserts > 1 ? [{ subject_id, body_hash, state: 'open' }] : []
  const database = { em: { fork: () => ({ execute }) } } as never
  const run = async (_: string, isRetry: boolean) => isRetry
  expect(await withIdempotencyKey(database, { userId: 'ada', key: 'k', body: {} }, run)).toBe(false)
})
