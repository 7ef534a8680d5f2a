import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { creditAccount } from '../../credits/creditAccount.decider.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../postgres/testing/temporaryPostgres.ts'
import type { EventStore, Stored } from './eventStore.port.ts'
import { createHandle } from './handle.ts'
import { createPostgresEventStore, installEventTable } from './postgres/postgresEventStore.ts'
import { Rejection } from './pure/decider.ts'
import { chainStart, eventHash } from './pure/eventHash.ts'

let postgres: TemporaryPostgres
let stores: EventStore[]
beforeAll(async () => {
  postgres = await startTemporaryPostgres()
  await installEventTable(postgres.pool)
  stores = [createPostgresEventStore(postgres.pool), createPostgresEventStore(postgres.connect())]
})
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()))
  await postgres.close()
})

const at = '2026-01-01T00:00:00.000Z'
const context = (commandId: string) => ({ commandId, actor: 'system', correlationId: 'spec' })

async function chainOf(store: EventStore, stream: string): Promise<Stored[]> {
  const events: Stored[] = []
  let hash = chainStart(stream)
  for await (const event of store.readStream(stream)) {
    expect(event.meta.previousHash).toBe(hash)
    hash = eventHash(event)
    events.push(event)
  }
  return events
}

describe('two processes writing to one credit account', () => {
  it('accept exactly the affordable part of 500 racing holds, in one hash chain', async () => {
    const userId = 'racing'
    const handles = stores.map((store) => createHandle(store))
    const lot = { type: 'GrantLot', userId, lotId: 'lot', source: 'free', amount: 100, expiresAt: null, at } as const
    await handles[0]!(creditAccount, userId, lot, context('grant'))
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, n) => {
        const hold = { type: 'HoldCredits', userId, holdId: `t${n}`, amount: 1, openLimit: 1_000, at } as const
        return handles[n % 2]!(creditAccount, userId, hold, context(`hold ${n}`)).then(
          () => 'held',
          (error) => (error instanceof Rejection ? error.code : String(error)),
        )
      }),
    )
    expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(100)
    expect(outcomes.filter((outcome) => outcome === 'insufficient_credits')).toHaveLength(400)
    const events = await chainOf(stores[0]!, `creditAccount-${userId}`)
    expect(events.map(({ revision }) => revision)).toEqual(Array.from({ length: 101 }, (_, n) => n))
    expect(new Set(events.map(({ data }) => (data as { holdId?: string }).holdId)).size).toBe(101)
  })

  it('store each of 250 commands sent by both once; the hash chain reveals a changed byte', async () => {
    const userId = 'chained'
    const handles = stores.map((store) => createHandle(store))
    await Promise.all(
      Array.from({ length: 500 }, async (_, n) => {
        const lotId = `lot${n >> 1}`
        const grant = { type: 'GrantLot', userId, lotId, source: 'free', amount: 2, expiresAt: null, at } as const
        for (let turns = (n >> 1) % 40; turns > 0; turns--) await turn()
        await handles[n % 2]!(creditAccount, userId, grant, context(`grant ${lotId}`))
      }),
    )
    const stream = `creditAccount-${userId}`
    const events = await chainOf(stores[1]!, stream)
    expect(new Set(events.map(({ data }) => (data as { lotId: string }).lotId)).size).toBe(250)
    expect(events).toHaveLength(250)
    const [changed, after] = [events[100]!, events[101]!]
    const forged = { ...changed, data: { ...changed.data, amount: 3 } }
    expect([eventHash(changed), eventHash(forged)].map((hash) => hash === after.meta.previousHash)).toEqual([
      true,
      false,
    ])
  })
})
