import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { startTemporaryPostgres } from '../../kernel/postgres/testing/temporaryPostgres.ts'
import { runBackup } from '../../programs/backup.ts'
import { runDrill } from '../../programs/drill.ts'
import { runRestore } from '../../programs/restore.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { TestUser } from '../../testing/testUser.ts'
import { MANIFEST, tableFile } from './manifest.ts'

const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-recover-'))
const backup = path.join(place, 'backup')
let kinora: TestKinora
let user: TestUser
let videoId: string
let printed: string[] = []
const run = (program: typeof runBackup, args: string[], env: Record<string, string> = {}) => {
  printed = []
  return program(args, { NODE_ENV: 'test', DATA_DIR: kinora.dataDir, ...env }, (text) => printed.push(text))
}
const backUp = (...args: string[]) => run(runBackup, args)
const restore = (...args: string[]) => run(runRestore, args)

beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
  user = await kinora.newUser()
  videoId = (await generate(user)).id
  await reaches(user, videoId, { status: 'Success' })
  await user.call('POST', '/analytics/page-view', { path: '/workspace' })
  expect(await backUp('--out', backup, '--with-secrets')).toBe(0)
})
afterAll(async () => {
  await kinora.close()
  rmSync(place, { recursive: true, force: true, maxRetries: 10 })
})

describe('backup and restore', () => {
  it('restore a running installation elsewhere: accounts, credits, prompts, videos and their files', async () => {
    const later = await generate(user)
    const dataDir = path.join(place, 'restored')
    expect(await restore('--from', backup, '--into', dataDir)).toBe(0)
    const again = await startTestKinora({ provider: await createProviderDouble(), env: { DATA_DIR: dataDir } })
    try {
      const there = (address: string) => fetch(`${again.url}/api/v1${address}`, { headers: { cookie: user.cookie } })
      expect(await (await there(`/videos/tasks/${videoId}`)).json()).toMatchObject({
        status: 'Success',
        prompt: 'A cat on a hill at sunset',
      })
      expect((await there(`/videos/preview/${videoId}`)).status).toBe(200)
      expect((await there(`/videos/tasks/${later.id}`)).status).toBe(404)
      expect(await (await there('/subscriptions/stats')).json()).toMatchObject({ remaining_credits: 30 })
      // Sequences, log and read models continue after the restored ones.
      const view = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"path":"/"}' }
      expect((await fetch(`${again.api}/analytics/page-view`, view)).status).toBe(202)
      const one = await again.newUser()
      const { id } = await generate(one)
      await reaches(one, id, { status: 'Success' })
    } finally {
      await again.close()
    }
  })

  it('refuse a backup with a changed or missing file, and restore nothing on which Kinora would start', async () => {
    const file = tableFile(backup, 'free_grant')
    const whole = readFileSync(file)
    const changed = gunzipSync(whole)
      .toString()
      .replace(/[0-9a-f]/, (digit) => (digit === 'a' ? 'b' : 'a'))
    writeFileSync(file, gzipSync(changed))
    expect(await restore('--from', backup, '--into', path.join(place, 'damaged'))).toBe(1)
    expect(printed.join()).toContain('its hash differs')
    writeFileSync(file, whole)
    expect(await restore('--from', backup, '--into', path.join(place, 'damaged'))).toBe(1)
    expect(printed.join()).toContain('or empty it if an interrupted restore left this')
    expect(existsSync(path.join(place, 'damaged/media'))).toBe(false)
    const started = startTestKinora({ env: { DATA_DIR: path.join(place, 'damaged') } })
    await expect(started).rejects.toThrow('was interrupted')
    expect(await restore('--from', place, '--into', path.join(place, 'none'))).toBe(1)
    expect(printed.join()).toContain('holds no backup')
  })

  it('refuse a backup with a changed or missing media file before anything is restored', async () => {
    const file = path.join(backup, 'media/videos', `${videoId}.mp4`)
    const whole = readFileSync(file)
    const changed = Buffer.from(whole)
    changed[changed.length >> 1]! ^= 1
    const into = path.join(place, 'damaged-media')
    for (const damage of [() => writeFileSync(file, changed), () => rmSync(file)]) {
      damage()
      expect(await restore('--from', backup, '--into', into)).toBe(1)
      expect(printed.join()).toContain(`1 files are changed or missing, for example media/videos/${videoId}.mp4`)
    }
    writeFileSync(file, whole)
    expect(existsSync(into)).toBe(false)
  })

  it('restore a backup from before files were hashed, and say that they were not verified', async () => {
    const file = path.join(backup, MANIFEST)
    const manifest = readFileSync(file, 'utf8')
    const { files: _, ...before } = JSON.parse(manifest)
    writeFileSync(file, JSON.stringify(before))
    const into = path.join(place, 'unhashed')
    expect(await restore('--from', backup, '--into', into), printed.join()).toBe(0)
    expect(printed.join()).toContain('could not be verified')
    expect(existsSync(path.join(into, 'media/videos', `${videoId}.mp4`))).toBe(true)
    expect(existsSync(path.join(into, 'secrets.json'))).toBe(true)
    writeFileSync(file, manifest)
  })

  it('refuse a backup of a version before 0.1.0 and one of a newer version, and restore nothing', async () => {
    const file = path.join(backup, MANIFEST)
    const manifest = readFileSync(file, 'utf8')
    const into = path.join(place, 'other-version')
    const refusalOf = async (migrations: readonly string[]) => {
      writeFileSync(file, JSON.stringify({ ...JSON.parse(manifest), migrations }))
      expect(await restore('--from', backup, '--into', into)).toBe(1)
      return printed.join()
    }
    expect(await refusalOf(['M0100Baseline', 'M0101ParkedEvents'])).toMatch(/before 0\.1\.0 .* new DATA_DIR/)
    expect(await refusalOf(['M0001Baseline', 'M9999Newer'])).toContain('made by a newer version, which has M9999Newer')
    expect(existsSync(into)).toBe(false)
    writeFileSync(file, manifest)
  })

  it('restore into the database and the folder of the settings with --here, if both are empty', async () => {
    const postgres = await startTemporaryPostgres()
    onTestFinished(() => postgres.close())
    const { socketDir, user: owner, database } = postgres.server
    const DATABASE_URL = `postgresql://${owner}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
    const env = { DATABASE_URL, DATA_DIR: path.join(place, 'here') }
    expect(await run(runRestore, ['--from', backup, '--here'], env), printed.join()).toBe(0)
    const { rows } = await postgres.pool.query('select id from user_account')
    expect(rows).toEqual([{ id: user.userId }])
    expect(existsSync(path.join(env.DATA_DIR, 'media/videos', `${videoId}.mp4`))).toBe(true)
    expect(await run(runRestore, ['--from', backup, '--here'], env)).toBe(1)
    expect(printed.join()).toContain('not empty')
    expect(await run(runRestore, ['--from', backup, '--here', '--into', place], env)).toBe(2)
  })

  it('overwrite neither a backup nor an installation', async () => {
    expect(await backUp('--out', backup)).toBe(1)
    expect(printed.join()).toContain('or remove this one if it has no manifest.json')
    expect(await restore('--from', backup, '--into', kinora.dataDir)).toBe(1)
    expect(printed.join()).toContain('not empty')
    expect(await restore('--from', backup)).toBe(2)
  })
})

describe('the recovery drill', () => {
  it('fails if neither the copy nor the environment has the key', async () => {
    expect(await run(runDrill, [])).toBe(1)
    expect(printed.join('\n')).toMatch(/✗ keys: .*--with-secrets/)
  })

  it('passes beside a running installation, and detects an ENCRYPTION_KEY that does not open the user keys', async () => {
    const code = await run(runDrill, ['--with-secrets'])
    expect(code, printed.join('\n')).toBe(0)
    expect(printed.join('\n')).toMatch(
      /✓ tables: \d+ rows[\s\S]*✓ keys: \d+ users[\s\S]*✓ files: [\s\S]*✓ ledger: \d+ events[\s\S]*can be restored/,
    )
    const env = { ENCRYPTION_KEY: 'f'.repeat(64), SESSION_SECRET: 's'.repeat(32) }
    expect(await run(runDrill, [], env)).toBe(1)
    expect(printed.join('\n')).toMatch(/✗ keys: \d+ do not open/)
    const left = readdirSync(path.join(kinora.dataDir, 'tmp'), { recursive: true, encoding: 'utf8' })
    expect(left.filter((name) => name.includes('drill'))).toEqual([])
  })

  it('detects the missing file of a finished video, unless the video was deleted during the backup', async () => {
    const owner = await kinora.newUser()
    const { id } = await generate(owner)
    await reaches(owner, id, { status: 'Success' })
    rmSync(path.join(kinora.dataDir, 'media/videos', `${id}.mp4`))
    expect(await run(runDrill, ['--with-secrets'])).toBe(1)
    expect(printed.join('\n')).toContain(`✗ files: 1 are changed or missing, for example media/videos/${id}.mp4`)
    let deleted: Promise<unknown> | undefined
    const lines: string[] = []
    const code = await runDrill(['--with-secrets'], { NODE_ENV: 'test', DATA_DIR: kinora.dataDir }, (line) => {
      lines.push(line)
      if (line.startsWith('backed up')) deleted = owner.call('DELETE', `/videos/tasks/${id}`)
    })
    await deleted
    expect(code, lines.join('\n')).toBe(0)
  })
})
