import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { createWebhookInbox, type WebhookInbox } from './webhookInbox.ts'

let db: TemporaryDatabase
let inbox: WebhookInbox
beforeAll(async () => {
  db = await startTemporaryDatabase()
  inbox = createWebhookInbox(db.pool)
})
afterAll(() => db.close())

describe('a transmission', () => {
  it('is admitted again with the same body, and never with another', async () => {
    const admit = (id: string, body: string) => inbox.admit(id, Buffer.from(body))
    expect(await admit('t1', 'a sale')).toBe(true)
    expect(await admit('t1', 'a sale')).toBe(true)
    expect(await admit('t1', 'a larger sale')).toBe(false)
    expect(await admit('t2', 'a larger sale')).toBe(true)
    const same = await Promise.all(['a', 'b', 'c', 'd'].map((body) => admit('t3', body)))
    expect(same.filter(Boolean)).toHaveLength(1)
  })

  it('is forgotten once it is too old to be accepted', async () => {
    await inbox.admit('old', Buffer.from('x'))
    await db.pool.query(`update payment_transmission set received_at = now() - interval '10 days' where id = 'old'`)
    await inbox.admit('new', Buffer.from('x'))
    const { rows } = await db.pool.query(`select id from payment_transmission where id in ('old', 'new')`)
    expect(rows).toEqual([{ id: 'new' }])
  })
})
