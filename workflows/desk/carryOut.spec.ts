import { expect, it } from 'vitest'
import { deskAction } from '#backend/desk/deskAction.decider.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import { createCarryOut } from './carryOut.ts'

const at = '2026-11-29T17:00:00.000Z'
const dueAt = '2026-12-06T17:00:00.000Z'
const context = { commandId: 'c', actor: 'operator:olga', correlationId: 'a' }
const about = { kind: 'delete_account', subject: 'u', userId: 'u', reason: 'by letter' } as const

/** Orders an action that waits a week, and returns the log and the function that carries it out. */
async function waiting(announce: () => Promise<void>) {
  const store = createMemoryEventStore()
  const handle = createHandle(store)
  const order = { type: 'AskAction', actionId: 'a', operator: 'olga', ...about, dueAt, at } as const
  await handle(deskAction, 'a', order, context)
  const carryOut = createCarryOut({ handle, calendar: () => Date.parse(at), acts: { announce } } as never)
  return { log: store.log, carryOut: () => carryOut('a') }
}

it('announces an action that waits for its time, and leaves it open', async () => {
  let announced = 0
  const { log, carryOut } = await waiting(async () => void announced++)
  await carryOut()
  expect([announced, log.map(({ type }) => type)]).toEqual([1, ['ActionAsked']])
})

it('ends an action that waits for its time if the account was deleted, and announces it no more', async () => {
  const { log, carryOut } = await waiting(async () => {
    throw new Rejection('not_found', 'This account was deleted.')
  })
  await carryOut()
  await carryOut()
  expect(log.map(({ type }) => type)).toEqual(['ActionAsked', 'ActionFailed'])
  expect(log[1]).toMatchObject({ data: { actionId: 'a', why: 'not_found' } })
})

it('announces an action again after an outage', async () => {
  const { log, carryOut } = await waiting(async () => {
    throw new Error('the database is away')
  })
  await expect(carryOut()).rejects.toThrow('the database is away')
  expect(log).toHaveLength(1)
})
