import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { listen } from './listen.ts'
import { startTemporaryPostgres } from './testing/temporaryPostgres.ts'

let postgres: Awaited<ReturnType<typeof startTemporaryPostgres>>
beforeAll(async () => {
  postgres = await startTemporaryPostgres()
})
afterAll(() => postgres.close())

it('listens on all channels over one connection, again after it is lost', async () => {
  const { socketDir: host, port, user, database } = postgres.server
  const connection = { host, port, user, database, application_name: 'listens' }
  const sessions = async () =>
    (await postgres.pool.query(`select pid from pg_stat_activity where application_name = 'listens'`)).rowCount
  const [leaving, staying] = [new AbortController(), new AbortController()]
  const [first, second] = [vi.fn(), vi.fn()]
  const [firstListens, secondListens] = [vi.fn(), vi.fn()]
  const one = listen(connection, 'one', leaving.signal, { onNotification: first, onListening: firstListens })
  await expect.poll(() => firstListens).toHaveBeenCalledOnce()
  const two = listen(connection, 'two', staying.signal, { onNotification: second, onListening: secondListens })
  await expect.poll(() => secondListens).toHaveBeenCalledOnce()
  expect(await sessions()).toBe(1)

  await postgres.pool.query(`select pg_notify('one', '1'), pg_notify('two', '2')`)
  await expect.poll(() => [first.mock.calls, second.mock.calls]).toEqual([[['1']], [['2']]])

  await postgres.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'listens'`)
  await expect.poll(() => [firstListens, secondListens].map(({ mock }) => mock.calls.length)).toEqual([2, 2])

  leaving.abort()
  await one
  await postgres.pool.query(`select pg_notify('one', '3'), pg_notify('two', '4')`)
  await expect.poll(() => second).toHaveBeenLastCalledWith('4')
  expect(first).toHaveBeenCalledOnce()
  staying.abort()
  await two
  await expect.poll(() => sessions()).toBe(0)
})
