import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { createStripeLinks } from './stripeLinks.ts'

let database: TemporaryDatabase
beforeAll(async () => {
  database = await startTemporaryDatabase()
})
afterAll(() => database.close())

it('finds an agreement by its session and by its subscription, and keeps the first link', async () => {
  const links = createStripeLinks(database.pool)
  expect(await links.find('cs_1')).toBe(undefined)
  await links.add('cs_1', 'sub_1')
  await links.add('cs_1', 'sub_2')
  await links.add('cs_2', 'sub_1')
  const link = { sessionId: 'cs_1', subscriptionId: 'sub_1' }
  for (const id of ['cs_1', 'sub_1']) expect(await links.find(id)).toEqual(link)
  for (const id of ['cs_2', 'sub_2']) expect(await links.find(id)).toBe(undefined)
})
