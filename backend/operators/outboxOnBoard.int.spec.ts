import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestMailServer, type TestMailServer } from '../providers/mail/testing/testMailServer.ts'
import { eventually } from '../testing/eventually.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
const EMAIL = 'ada@kinora.test'

let kinora: TestKinora
let mails: TestMailServer
let cookie = ''
beforeAll(async () => {
  mails = createTestMailServer()
  await mails.start()
  const operator = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password }
  kinora = await startTestKinora({
    env: { ...operator, SMTP_URL: mails.url, MAIL_FROM: 'Kinora <hello@kinora.test>' },
  })
  cookie = (await kinora.post('/analytics/login', OPERATOR)).headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(async () => {
  await kinora?.close()
  await mails.stop()
})

const call = (method: string, path: string) => fetch(`${kinora.api}/analytics${path}`, { method, headers: { cookie } })
const list = async () => (await (await call('GET', '/outbox')).json()) as { messages: { id: string }[]; total: number }

it('shows the operator why a mail was not delivered, and sends it again, without its text', async () => {
  mails.answer = () => 550
  await kinora.post('/auth/register', { email: EMAIL, password: 'correct horse', username: 'Ada' })
  const [message] = await eventually(async () => {
    const { messages } = await list()
    expect(messages).toEqual([
      {
        ...{ id: expect.any(String), channel: 'mail', about: 'Verify your email for Kinora', email: EMAIL },
        ...{ state: 'failed', attempts: 1, status: null, error: expect.stringContaining('550'), due_at: null },
        ...{ created_at: expect.stringMatching(/Z$/), has_body: true },
      },
    ])
    return messages
  })
  mails.answer = () => undefined
  expect((await call('POST', `/outbox/${message!.id}/resend`)).status).toBe(204)
  await eventually(() => expect(mails.taken).toHaveLength(1))
  await eventually(async () => expect(await list()).toMatchObject({ messages: [], total: 0 }))
  expect((await call('POST', `/outbox/${message!.id}/resend`)).status).toBe(404)
  const { actions } = (await (await call('GET', '/actions')).json()) as {
    actions: { action: string; detail: string }[]
  }
  expect(actions[0]).toMatchObject({
    action: 'message_resent',
    detail: expect.stringMatching(`^mail ${message!.id}, user [0-9a-f-]{36}$`),
  })
})
