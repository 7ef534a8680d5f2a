import { expect, it, onTestFinished } from 'vitest'
import { bySystem } from '../kernel/eventsourcing/command.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { createEventStoreDb } from '../kernel/eventsourcing/eventStoreDb/eventStoreDb.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { createPostgresEventStore, installEventTable } from '../kernel/eventsourcing/postgres/postgresEventStore.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { EventStoreDbTestServer } from '../kernel/eventsourcing/testing/eventStoreDbTestServer.ts'
import { startTemporaryPostgres } from '../kernel/postgres/testing/temporaryPostgres.ts'
import { createCredits } from './credits.ts'

const STORES: Record<string, () => Promise<EventStore>> = {
  async Postgres() {
    const postgres = await startTemporaryPostgres()
    onTestFinished(() => postgres.close())
    await installEventTable(postgres.pool)
    return createPostgresEventStore(postgres.pool)
  },
  async 'EventStoreDB (a double of the server)'() {
    const server = await new EventStoreDbTestServer().start()
    onTestFinished(() => server.kill())
    return createEventStoreDb({ url: server.url })
  },
}

it.each(Object.keys(STORES))('200 calls of a key with credits for three hold three times, in %s', async (name) => {
  const store = await STORES[name]!()
  onTestFinished(() => store.close())
  // Two processes, which do not know of each other's commands.
  const processes = [createCredits(createHandle(store)), createCredits(createHandle(store))] as const
  await processes[0].grantFreeCredits('user', 10_000)
  const key = { id: 'key', perMonth: 90 }
  const hold = (n: number) => {
    const taskId = `task-${n}`
    const order = { userId: 'user', taskId, amount: 30, openLimit: 1_000, key }
    return processes[n % 2]!.hold(order, bySystem('hold', taskId)).send()
  }
  const codeOf = (error: unknown) => (error instanceof Rejection ? error.code : String(error))
  const outcomes = await Promise.all(Array.from({ length: 200 }, (_, n) => hold(n).then(() => 'held', codeOf)))
  const held = outcomes.filter((outcome) => outcome === 'held')
  expect(held).toHaveLength(3)
  expect(outcomes.filter((outcome) => outcome === 'key_limit_reached')).toHaveLength(197)

  // A released hold gives its credits back to the key.
  await processes[0].release('user', `task-${outcomes.indexOf('held')}`, 'not delivered')
  expect(await processes[1].spentBy('user', 'key')).toMatchObject({ ofMonth: 60 })
  await hold(200)
  await expect(hold(201)).rejects.toMatchObject({ code: 'key_limit_reached' })
})
