import { execFile } from 'node:child_process'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'

const PROGRAM = path.resolve(import.meta.dirname, 'endSessions.ts')

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora()
})
afterAll(() => kinora.close())

const endSessions = (args: string[], others: Record<string, string> = {}) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const env = { ...process.env, NODE_ENV: 'test', DATA_DIR: kinora.dataDir, ...others }
    execFile(process.execPath, [PROGRAM, ...args], { env, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })

it('an operator ends the sessions of one user, and of no other', async () => {
  const [user, other] = [await kinora.newUser(), await kinora.newUser()]
  expect(await endSessions([user.email])).toMatchObject({ code: 0, stdout: `1 sessions of ${user.email} ended\n` })
  expect((await user.call('GET', '/auth/me')).status).toBe(401)
  expect((await other.call('GET', '/auth/me')).status).toBe(200)
  const { rows } = await kinora.context.pool.query(
    "select detail from operator_action where action = 'user_sessions_ended'",
  )
  expect(rows).toEqual([{ detail: `user ${user.userId}` }])
  expect(await endSessions(['nobody@kinora.test'])).toMatchObject({
    code: 1,
    stderr: 'no user with the address nobody@kinora.test\n',
  })
})

it('sessions end while the event store is away, and with another key', async () => {
  const user = await kinora.newUser()
  const env = { EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false', ENCRYPTION_KEY: 'cd'.repeat(32) }
  expect(await endSessions([user.email], env)).toMatchObject({ code: 0, stderr: '' })
  expect((await user.call('GET', '/auth/me')).status).toBe(401)
})
