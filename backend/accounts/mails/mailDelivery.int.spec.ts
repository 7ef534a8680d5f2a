import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { createTestMailServer, type TestMailServer } from '../../providers/mail/testing/testMailServer.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { freePort } from '../../testing/freePort.ts'
import { startProgram } from '../../testing/program.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

let db: TemporaryDatabase
let mails: TestMailServer
let provider: Awaited<ReturnType<typeof createProviderDouble>>
let env: Record<string, string>
beforeAll(async () => {
  db = await startTemporaryDatabase()
  mails = createTestMailServer()
  provider = await createProviderDouble()
  await mails.start()
  const keys = { ENCRYPTION_KEY: 'ab'.repeat(32) }
  env = { DATABASE_URL: db.url, SMTP_URL: mails.url, MAIL_FROM: 'Kinora <hello@kinora.test>', ...keys }
})
afterAll(async () => {
  await mails.stop()
  await db.close()
})
beforeEach(async () => {
  await db.pool.query('delete from outbox')
  mails.taken.length = 0
  mails.asked.length = 0
  mails.answer = () => undefined
  mails.hangs = false
})

let count = 0
const newEmail = () => `reader${++count}.${Date.now()}@kinora.test`
const register = async (post: TestKinora['post'], email: string) => {
  const answer = await post('/auth/register', { email, password: 'correct horse', username: '阿达', language: 'zh' })
  expect(answer.status).toBe(201)
}
const waiting = async () =>
  (await db.pool.query<{ body: string }>(`select body from outbox where channel = 'mail' and state = 'waiting'`)).rows
/** Returns what became of the emails, without what they say. */
const ended = async () =>
  (await db.pool.query(`select state, status, answer, body is null as bare from outbox order by created_at`)).rows
const arrives = (email: string, count = 1) =>
  eventually(() => expect(mails.taken.filter((mail) => mail.includes(`To: ${email}`))).toHaveLength(count))
const isEmpty = () => eventually(async () => expect(await waiting()).toEqual([]))
const start = (more: Record<string, string> = {}) => startTestKinora({ provider, env: { ...env, ...more } })

describe('a mail', () => {
  let kinora: TestKinora
  beforeAll(async () => {
    kinora = await start()
  })
  afterAll(() => kinora.close())

  it('is sent as text and HTML in the recipient’s language, and its text is removed', async () => {
    const email = newEmail()
    await register(kinora.post, email)
    await arrives(email)
    const [mail] = mails.taken
    expect(mail).toContain('From: Kinora <hello@kinora.test>')
    expect(mail).toMatch(/Message-ID: <[0-9a-f-]{36}@kinora\.test>/i)
    expect(mail).toMatch(/Content-Type: text\/plain; charset=utf-8/)
    expect(mail).toMatch(/Content-Type: text\/html; charset=utf-8/)
    expect(mail).toMatch(/Subject: =\?UTF-8\?/i)
    await isEmpty()
    expect(await ended()).toEqual([{ state: 'sent', status: null, answer: null, bare: true }])
    expect((await fetch(`${kinora.url}/dev/mailbox.json`)).status).toBe(404)
  })

  it('is stored encrypted while the mail server is down, and sent when it is back', async () => {
    await mails.stop()
    const email = newEmail()
    await register(kinora.post, email)
    const [row] = await waiting()
    expect(Buffer.from(row!.body, 'base64').toString('latin1')).not.toContain(email)
    await mails.start()
    await arrives(email)
    await isEmpty()
  })

  it('is retried after a temporary failure and dropped after a permanent one', async () => {
    const [later, never] = [newEmail(), newEmail()]
    mails.answer = (to) => (to === never ? 550 : mails.asked.filter((one) => one === to).length < 2 ? 451 : undefined)
    await register(kinora.post, never)
    await register(kinora.post, later)
    await arrives(later)
    await isEmpty()
    expect(mails.asked.filter((one) => one === never)).toEqual([never])
    expect(mails.taken).toHaveLength(1)
    expect(await ended()).toEqual([
      { state: 'failed', status: null, answer: expect.stringContaining('550'), bare: false },
      { state: 'sent', status: null, answer: null, bare: true },
    ])
  })

  it('is sent to one recipient, whatever the address contains', async () => {
    for (const email of ['a@b.test,eve@kinora.test', '"x"<eve@kinora.test>', 'eve@kinora.test;b@b.test'])
      await kinora.post('/auth/register', { email, password: 'correct horse', username: 'Eve Eve' })
    await isEmpty()
    expect(mails.asked).not.toContain('eve@kinora.test')
  })
})

describe('an undelivered mail', () => {
  it('is sent after Kinora was killed during the delivery', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-mail-'))
    const email = newEmail()
    mails.hangs = true
    const first = await startProgram({ ...env, DATA_DIR: folder, PORT: '0' })
    const headers = { 'content-type': 'application/json' }
    await register(
      (address, body) =>
        fetch(`${first.url}/api/v1${address}`, { method: 'POST', headers, body: JSON.stringify(body) }),
      email,
    )
    await eventually(() => expect(mails.asked).toEqual([email]))
    await first.kill()
    expect(await waiting()).toHaveLength(1)
    mails.hangs = false
    const second = await startProgram({ ...env, DATA_DIR: folder, PORT: '0' })
    await arrives(email)
    await isEmpty()
    await second.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('of an earlier release is sent once, unless it has expired', async () => {
    const [late, email] = [newEmail(), newEmail()]
    await mails.stop()
    const first = await start()
    await register(first.post, late)
    await register(first.post, email)
    await first.close()
    // As releases up to November 2026 queued them.
    await db.pool.query(
      `with moved as (delete from outbox returning *)
       insert into outgoing_mail select id, user_id, body, expires_at from moved`,
    )
    await db.pool.query(
      `update outgoing_mail set expires_at = now() where user_id = (select id from user_account where email = $1)`,
      [late],
    )
    await mails.start()
    const [second, third] = await Promise.all([start(), start()])
    await arrives(email)
    await eventually(async () =>
      expect(await db.pool.query('select from outgoing_mail')).toMatchObject({ rowCount: 0 }),
    )
    await isEmpty()
    expect(mails.asked).toEqual([email])
    await second.close()
    await third.close()
  })

  it('is sent by another process than the one that wrote it', async () => {
    const PORT = String(await freePort())
    const secrets = {
      SESSION_SECRET: 's'.repeat(32),
      PUBLIC_URL: `http://localhost:${PORT}`,
      DATA_DIR: mkdtempSync(path.join(os.tmpdir(), 'kinora-mail-')),
    }
    const [api, worker] = await Promise.all([
      start({ ROLES: 'api', PORT, ...secrets }),
      start({ ROLES: 'projections,workflows', ...secrets }),
    ])
    const email = newEmail()
    await register(api.post, email)
    await arrives(email)
    await api.close()
    await worker.close()
  })
})
