import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { generate, reaches, remaining } from '#workflows/testing/userTasks.ts'
import { keptCredential } from '../app/marks/keptCredential.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { runRotateKey } from './rotateKey.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-rotate-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 }))

const start = async () => startTestKinora({ provider: await createProviderDouble(), env: { DATA_DIR: dataDir } })
const storedKey = () =>
  (JSON.parse(readFileSync(path.join(dataDir, 'secrets.json'), 'utf8')) as { ENCRYPTION_KEY: string }).ENCRYPTION_KEY
const printed: string[] = []
const rotate = (env: Record<string, string> = {}) =>
  runRotateKey([], { NODE_ENV: 'test', DATA_DIR: dataDir, ...env }, (text) => printed.push(text))

/** Opens the credential with the master key, and returns its certificates. */
const certificateOf = async ({ context }: TestKinora) =>
  (await keptCredential(context.pool, context.config.secrets.encryption, Date.now())).chain

describe('npm run rotate-key', () => {
  it('keeps prompts readable, signs with the same certificate, redeems earlier codes, and still recognises a deleted address, which gets no second free credits', async () => {
    const first = await start()
    const user = await first.newUser('twice@kinora.test')
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Success' })
    await first.post('/auth/start', { email: 'draft@kinora.test', draft: { prompt: 'A heron on a pier' } })
    const link = /#token=([\w-]+)/.exec((await first.mails('draft@kinora.test'))[0]!.text)![1]!
    expect(await rotate()).toBe(1)
    expect(printed.join()).toContain('Stop Kinora first')
    const before = storedKey()
    const certificate = await certificateOf(first)
    const terms = { credits: 50, uses: 1, audience: 'all', expiresAt: null, label: 'Fair' } as const
    const [code] = await first.services.codes.issue(terms, 1, 'operator')
    await first.close({ keep: true })

    expect(await rotate()).toBe(0)
    expect(await rotate()).toBe(0)
    expect(storedKey()).not.toBe(before)
    const second = await start()
    try {
      const there = await fetch(`${second.api}/videos/tasks/${id}`, { headers: { cookie: user.cookie } })
      expect(await there.json()).toMatchObject({ prompt: 'A cat on a hill at sunset' })
      expect(await certificateOf(second)).toEqual(certificate)
      const draft = await second.post('/auth/start/preview', { token: link })
      expect(await draft.json()).toMatchObject({ prompt: 'A heron on a pier' })
      // The hash of the deleted account's address was made with the first key.
      const gone = await fetch(`${second.api}/users/delete`, {
        method: 'POST',
        headers: { cookie: user.cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ password: 'correct horse' }),
      })
      expect(gone.status).toBeLessThan(300)
      const back = await second.newUser('twice@kinora.test')
      expect(await remaining(back)).toBe(0)
      const redeemer = await second.newUser()
      expect((await redeemer.call('POST', '/credits/redeem', { code })).status).toBe(200)
      expect(await remaining(redeemer)).toBe(110)
    } finally {
      await second.close({ keep: true })
    }
  })

  it('changes nothing when ENCRYPTION_KEY is not the key in use', async () => {
    const wrong = { ENCRYPTION_KEY: 'a'.repeat(64), SESSION_SECRET: 's'.repeat(32) }
    expect(await rotate(wrong)).toBe(1)
    expect(printed.join()).toContain('not the key of this database')
    expect(printed.join()).toContain('secrets.json.new')
    const kinora = await start()
    try {
      // Two rotations.
      const { rows } = await kinora.context.pool.query('select purpose from key_ring order by purpose')
      expect(rows.map(({ purpose }) => purpose)).toEqual(['codes', 'codes', 'free grants', 'free grants'])
    } finally {
      await kinora.close({ keep: true })
    }
  })

  it('changes nothing when it is ended before it has shown a key that only the environment keeps', async () => {
    const env = { NODE_ENV: 'test', DATA_DIR: dataDir, ENCRYPTION_KEY: storedKey(), SESSION_SECRET: 's'.repeat(32) }
    const ended = () => {
      throw new Error('the terminal is gone')
    }
    await expect(runRotateKey([], env, ended)).rejects.toThrow('the terminal is gone')
    const shown: string[] = []
    expect(await runRotateKey([], env, (text) => shown.push(text))).toBe(0)
    const next = /[0-9a-f]{64}/.exec(shown[0]!)![0]
    expect(await rotate({ ...env, ENCRYPTION_KEY: next, NEW_ENCRYPTION_KEY: storedKey() })).toBe(0)
  })
})
