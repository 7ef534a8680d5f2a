import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { stopwatch } from '../../testing/stopwatch.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION } from '../../testing/testUser.ts'

describe('readiness', () => {
  let kinora: TestKinora
  let client: pg.PoolClient
  beforeAll(async () => {
    kinora = await startTestKinora({ provider: await createProviderDouble() })
    client = await kinora.context.pool.connect()
    await client.query('set idle_in_transaction_session_timeout = 0')
  })
  afterAll(async () => {
    client.release(true)
    await kinora.close()
  })
  const ready = async () => {
    const answer = await fetch(`${kinora.url}/readyz`)
    return [answer.status, ((await answer.json()) as { status: string }).status]
  }
  const becomes = (expected: unknown[]) => eventually(async () => void expect(await ready()).toEqual(expected))

  it('is lost while the event table is locked, and writes answer 503 with Retry-After within five seconds', async () => {
    const user = await kinora.newUser()
    await client.query('begin; lock table event in exclusive mode')
    const lost = await becomes([503, 'unavailable']).catch(String)
    const took = stopwatch()
    const answer = await user.call('POST', '/videos/generate', GENERATION)
    took.within(5_000)
    await client.query('rollback')
    expect([lost, answer.status, answer.headers.get('retry-after')]).toEqual([undefined, 503, '2'])
    await becomes([200, 'ready'])
  })

  it('is lost while the database is read-only', async () => {
    const { rows } = await client.query<{ name: string }>('select current_database() as name')
    const readOnly = async (state: string) => {
      await client.query(`alter database "${rows[0]!.name}" set default_transaction_read_only = ${state}`)
      // The setting applies to new sessions.
      const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
      await client.query(others)
    }
    await client.query('set default_transaction_read_only = off')
    await readOnly('on')
    const lost = await becomes([503, 'unavailable']).catch(String)
    await readOnly('off')
    expect(lost).toBeUndefined()
    await becomes([200, 'ready'])
  })

  it('writes at most one probe in two seconds, and leaves no event', async () => {
    const probe = vi.spyOn(kinora.context.pool, 'query')
    const head = await kinora.context.store.head()
    await Promise.all(Array.from({ length: 20 }, ready))
    expect(
      probe.mock.calls.filter(([query]) => JSON.stringify(query).includes('event_append_set')).length,
    ).toBeLessThan(2)
    expect(await kinora.context.store.head()).toBe(head)
    probe.mockRestore()
  })
})
