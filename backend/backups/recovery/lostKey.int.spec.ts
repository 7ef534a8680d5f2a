import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { signingKey } from '../../audit/signingKey.ts'
import { runBackup } from '../../programs/backup.ts'
import { runRestore } from '../../programs/restore.ts'
import { runRotateKey } from '../../programs/rotateKey.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { TestUser } from '../../testing/testUser.ts'

const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-lost-key-'))
const [bare, withSecrets] = [path.join(place, 'bare'), path.join(place, 'with-secrets')]
const PROMPT = 'A cat on a hill at sunset'
const PASSWORD = 'correct horse'
let kinora: TestKinora
let users: TestUser[]
let videoIds: string[]
let printed: string[] = []
const run = (program: typeof runBackup, args: string[], env: Record<string, string> = {}) => {
  printed = []
  return program(args, { NODE_ENV: 'test', DATA_DIR: kinora.dataDir, ...env }, (text) => printed.push(text))
}
const restored = async (backup: string) => {
  const into = `${backup}-restored`
  expect(await run(runRestore, ['--from', backup, '--into', into]), printed.join()).toBe(0)
  return into
}
const start = async (env: Record<string, string>) => startTestKinora({ provider: await createProviderDouble(), env })
const keptApart = () => {
  const { encryption, session } = kinora.context.config.secrets
  return { ENCRYPTION_KEY: encryption, SESSION_SECRET: session }
}
const finishVideo = async (user: TestUser) => {
  const { id } = await generate(user)
  await reaches(user, id, { status: 'Success' })
  return id
}
/** Sets up an authenticator app. Returns the number of recovery codes. */
const enrol = async (post: (path: string, body: object) => Promise<Response>): Promise<number> => {
  const { secret } = (await (await post('/users/totp', { password: PASSWORD })).json()) as { secret: string }
  const code = TOTP.generate({ secret: new TOTP({ secret }).secret })
  const { recovery_codes } = (await (await post('/users/totp/confirm', { code })).json()) as {
    recovery_codes: string[]
  }
  return recovery_codes.length
}
const readAs = async ({ api }: TestKinora, { cookie }: TestUser, address: string) => {
  const answer = await fetch(`${api}${address}`, { headers: { cookie } })
  return { status: answer.status, body: await answer.json() }
}

beforeAll(async () => {
  kinora = await start({})
  users = [await kinora.newUser(), await kinora.newUser()]
  videoIds = await Promise.all(users.map(finishVideo))
  expect(await enrol((path, body) => users[0]!.call('POST', path, body))).toBe(10)
  signingKey(undefined, kinora.dataDir)
  expect(await run(runBackup, ['--out', bare])).toBe(0)
  expect(await run(runBackup, ['--out', withSecrets, '--with-secrets'])).toBe(0)
})
afterAll(async () => {
  await kinora.close()
  rmSync(place, { recursive: true, force: true, maxRetries: 10 })
})

describe('a restored backup', () => {
  it('does not start without its ENCRYPTION_KEY, says what to do, and works with the key that was kept apart', async () => {
    const DATA_DIR = await restored(bare)
    await expect(start({ DATA_DIR })).rejects.toThrow(/not the key of this database.*Set ENCRYPTION_KEY/)
    const again = await start({ DATA_DIR, ...keptApart() })
    try {
      const damage = `update user_key set wrapped_key = overlay(wrapped_key placing 'AAAA' from 20) where user_id = $1`
      await again.context.pool.query(damage, [users[0]!.userId])
      expect(await readAs(again, users[1]!, `/videos/tasks/${videoIds[1]}`)).toMatchObject({ body: { prompt: PROMPT } })
      await finishVideo(await again.newUser())
      // A user's key that cannot be opened costs the prompts, not the pages.
      const task = { id: videoIds[0], status: 'Success', prompt: '' }
      const read = (address: string) => readAs(again, users[0]!, address)
      expect(await read(`/videos/tasks/${videoIds[0]}`)).toMatchObject({ status: 200, body: task })
      expect(await read('/videos/tasks')).toMatchObject({ status: 200, body: { tasks: [task] } })
      expect(await read('/videos/my-works?q=cat')).toMatchObject({ status: 200, body: { total: 0 } })
    } finally {
      await again.close()
    }
  })

  it("has the audit's signing key, and starts without prompts if the operator gives up on a lost key", async () => {
    const DATA_DIR = await restored(withSecrets)
    const [there, here] = [DATA_DIR, kinora.dataDir].map((folder) => path.join(folder, 'audit-key.pem'))
    expect(existsSync(there!) && readFileSync(there!, 'utf8')).toBe(readFileSync(here!, 'utf8'))
    const env = { ...keptApart(), DATA_DIR, ENCRYPTION_KEY: 'cd'.repeat(32) }
    await expect(start(env)).rejects.toThrow('--key-lost')
    expect(await run(runRotateKey, ['--key-lost'], env), printed.join()).toBe(0)
    expect(printed.join()).toContain("Removed 2 users' keys, 1 authenticator apps")
    const again = await start(env)
    try {
      const { body } = await readAs(again, users[0]!, `/videos/tasks/${videoIds[0]}`)
      expect(body).toMatchObject({ status: 'Success', prompt: '' })
      // Codes of the app cannot be checked any more, so the password alone signs in.
      const login = await again.post('/auth/login', { email: users[0]!.email, password: PASSWORD })
      expect(login.status).toBe(200)
      const cookie = login.headers.getSetCookie().map((line) => line.split(';')[0])
      expect(await enrol((path, body) => again.post(path, body, { cookie: cookie.join('; ') }))).toBe(10)
    } finally {
      await again.close()
    }
  })
})
