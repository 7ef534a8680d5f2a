import { expect, it } from 'vitest'
import { bySystem } from '../kernel/eventsourcing/command.ts'
import { createHandle } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { openStore, STORE_NAMES } from '../kernel/eventsourcing/testing/everyStore.ts'
import { createCredits } from './credits.ts'

it.each(STORE_NAMES)('200 calls of a key with credits for three hold three times, in %s', async (name) => {
  const store = await openStore(name)
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
