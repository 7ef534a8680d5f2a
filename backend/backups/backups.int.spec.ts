import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { backupsOf } from '../app/backups.ts'
import { readConfig } from '../app/config/readConfig.ts'
import { connectDatabase } from '../kernel/postgres/connect.ts'
import { Leases } from '../kernel/postgres/leases.ts'
import { runRecoveryPhrase } from '../programs/recoveryPhrase.ts'
import { runRestore } from '../programs/restore.ts'
import { startS3Double } from '../providers/storage/testing/s3Double.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { FULL } from '../testing/fullRun.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import type { TestUser } from '../testing/testUser.ts'
import { readBackupState } from './backupState.ts'
import { newPhrase } from './recoveryPhrase.ts'
import { type BackupContext, backUpAndProve, startBackups } from './startBackups.ts'

const begun = Date.now()
const PROMPT = 'A cat on a hill at sunset'
const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-copies-'))
let kinora: TestKinora
let user: TestUser
let videoId: string
let phrase: string
let printed: string[] = []
const print = (text: string) => void printed.push(text)

interface CopyPlace {
  readonly to: string
  readonly env: Record<string, string>
  /** Returns the names and sizes of all files. */
  files(): Map<string, number>
  change(name: string, change: (content: Buffer) => Buffer | undefined): () => void
}

function folderPlace(): CopyPlace {
  const to = path.join(place, 'copies')
  const at = (name: string) => path.join(to, name)
  return {
    to,
    env: {},
    files() {
      const entries = readdirSync(to, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      const names = entries.map((entry) => path.relative(to, path.join(entry.parentPath, entry.name)))
      return new Map(names.map((name) => [name, readFileSync(at(name)).length]))
    },
    change(name, change) {
      const before = readFileSync(at(name))
      const changed = change(Buffer.from(before))
      if (changed) writeFileSync(at(name), changed)
      else rmSync(at(name))
      return () => writeFileSync(at(name), before)
    },
  }
}

async function bucketPlace(): Promise<CopyPlace & { close(): Promise<void> }> {
  const double = await startS3Double()
  const { endpoint, accessKeyId, secretAccessKey, region, bucket } = double.access
  const prefix = 'nightly/'
  return {
    to: `s3://${bucket}/nightly`,
    // No S3_BUCKET: media stay in the data folder.
    env: {
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
      S3_REGION: region,
    },
    files: () => new Map([...double.objects].map(([key, { length }]) => [key.slice(prefix.length), length])),
    change(name, change) {
      const before = double.objects.get(prefix + name)!
      const changed = change(Buffer.from(before))
      if (changed) double.objects.set(prefix + name, changed)
      else double.objects.delete(prefix + name)
      return () => void double.objects.set(prefix + name, before)
    },
    close: double.close,
  }
}

const PLACES = [
  ['a folder', async () => ({ ...folderPlace(), close: async () => {} })],
  ['a bucket', bucketPlace],
] as const

// newMachine.e2e.spec.ts restores from a bucket.
describe.each(FULL ? PLACES : PLACES.slice(0, 1))('copies in %s', (name, open) => {
  let copies: Awaited<ReturnType<typeof open>>
  let context: BackupContext
  /** Objects of the first copy. */
  let firstObjects: string[]
  const into = (folder: string) => path.join(place, `${name.slice(2)}-${folder}`)
  const backUp = async (prove = context.prove) =>
    backUpAndProve({ ...context, prove }, await readBackupState(context.pool), new AbortController().signal)
  const copyOnly = () => backUp(async () => {})
  const restore = (folder: string, by = phrase, ...args: string[]) => {
    printed = []
    return runRestore(['--from', copies.to, '--into', into(folder), ...args], copies.env, print, async () => by)
  }
  const objects = () => [...copies.files().keys()].filter((key) => key.includes('/objects/'))
  const catalogues = () => [...copies.files().keys()].filter((key) => key.includes('/copies/'))
  const firstCopy = () => path.basename(catalogues().sort()[0]!, '.age')

  beforeAll(async () => {
    copies = await open()
    kinora = await startTestKinora({ provider: await createProviderDouble() })
    const env = { NODE_ENV: 'test', DATA_DIR: kinora.dataDir, ...copies.env, BACKUP_TO: copies.to }
    // The running program is not told of the place, so that it makes no copies of its own.
    context = { ...backupsOf(kinora.context, readConfig(env).backup!), leases: kinora.context.leases }
    user = await kinora.newUser()
    videoId = (await generate(user)).id
    await reaches(user, videoId, { status: 'Success' })
    printed = []
    expect(await runRecoveryPhrase([], env, print)).toBe(0)
    phrase = printed[0]!
    expect(await runRecoveryPhrase([], env, print)).toBe(1)
    await backUp()
    firstObjects = objects()
  })
  afterAll(async () => {
    await kinora.close()
    await copies.close()
    rmSync(place, { recursive: true, force: true, maxRetries: 10 })
  })

  it('are taken and proven, and recorded as such', async () => {
    const { copied, proven, failure } = await readBackupState(kinora.context.pool)
    expect(copied!.files).toBeGreaterThan(50)
    expect([proven!.copy, failure]).toEqual([copied!.at, null])
    expect(proven!.at.getTime()).toBeGreaterThan(begun)
    const drills = await kinora.context.pool.query(`select from pg_database where datname like 'kinora-drill%'`)
    expect(drills.rowCount).toBe(0)
  })

  it('contain no readable byte of the installation', () => {
    expect(catalogues()).toHaveLength(1)
    for (const key of copies.files().keys()) {
      expect(key).not.toContain(videoId)
      copies.change(key, (content) => {
        expect(String(content.subarray(0, 21))).toBe('age-encryption.org/v1')
        return content
      })
    }
  })

  it('add only what is new, and store no media file twice', async () => {
    const before = new Set(objects())
    const media = [...copies.files()].filter(([, size]) => size > 5_000).length
    await copyOnly()
    const added = objects().filter((key) => !before.has(key))
    expect(added.length).toBeLessThan(before.size / 2)
    const largest = Math.max(...added.map((key) => copies.files().get(key)!))
    const video = readdirSync(path.join(kinora.dataDir, 'media/videos'), { withFileTypes: true })
    expect(video).toHaveLength(1)
    expect([...copies.files()].filter(([, size]) => size > 5_000).length - media).toBeLessThan(6)
    expect(largest).toBeLessThan(Math.max(...copies.files().values()))
  })

  it('restore with the phrase alone: accounts, prompts, videos, files and secrets', async () => {
    expect(await restore('restored'), printed.join('\n')).toBe(0)
    expect(printed.join('\n')).toContain('Restored as of')
    const dataDir = into('restored')
    expect(readdirSync(dataDir).filter((entry) => entry.startsWith('.'))).toEqual([])
    const again = await startTestKinora({ provider: await createProviderDouble(), env: { DATA_DIR: dataDir } })
    try {
      const read = (address: string) => fetch(`${again.api}${address}`, { headers: { cookie: user.cookie } })
      expect(await (await read(`/videos/tasks/${videoId}`)).json()).toMatchObject({ status: 'Success', prompt: PROMPT })
      expect((await read(`/videos/preview/${videoId}`)).status).toBe(200)
      expect(again.context.config.secrets).toEqual(kinora.context.config.secrets)
      expect(again.context.config.operators.password).toBe(kinora.context.config.operators.password)
      // The phrase still holds.
      expect((await readBackupState(again.context.pool)).phrase).toEqual(
        (await readBackupState(kinora.context.pool)).phrase,
      )
    } finally {
      await again.close()
    }
  })

  // The rest does not depend on the kind of place.
  if (name !== 'a folder') return

  it('are refused with another phrase, and nothing is restored', async () => {
    expect(await restore('wrong', newPhrase())).toBe(1)
    expect(printed).toEqual([expect.stringContaining('is not opened by this recovery phrase')])
    expect(await restore('wrong', 'cat dog')).toBe(1)
    expect(existsSync(into('wrong'))).toBe(false)
  })

  it.each([
    ['lacks an object', (_: Buffer) => undefined],
    ['has a changed object', (content: Buffer) => content.fill(7, content.length - 20)],
    ['has a shortened object', (content: Buffer) => content.subarray(0, content.length - 10)],
  ])('are refused in one sentence if one %s, and nothing is restored', async (_, damage) => {
    for (const key of [firstObjects[0]!, firstObjects.at(-1)!]) {
      const mend = copies.change(key, damage)
      expect(await restore('damaged', phrase, '--copy', firstCopy())).toBe(1)
      expect(printed).toEqual([expect.stringMatching(/^The copy \S+ is incomplete or damaged: .*\.$/)])
      expect(existsSync(into('damaged'))).toBe(false)
      mend()
    }
  })

  it('are refused if their catalogue was replaced by that of another copy', async () => {
    const [one, two] = catalogues().sort()
    let other: Buffer | undefined
    copies.change(one!, (content) => {
      other = content
      return content
    })
    const mend = copies.change(two!, () => other!)
    expect(await restore('replaced')).toBe(1)
    expect(printed.join()).toContain('it is the copy of another time')
    expect(existsSync(into('replaced'))).toBe(false)
    mend()
  })

  it('store an object again that was emptied, for example by a full disk', async () => {
    const [key, size] = [...copies.files()].sort(([, a], [, b]) => b - a)[0]!
    copies.change(key, () => Buffer.alloc(0))
    await copyOnly()
    expect(copies.files().get(key)).toBe(size)
  })

  it('overwrite no data', async () => {
    const args = ['--from', copies.to, '--into', kinora.dataDir]
    expect(await runRestore(args, copies.env, print, async () => phrase)).toBe(1)
    expect(printed.at(-1)).toContain('is not empty')
  })

  it('erase accounts again that were erased after the copy', async () => {
    await kinora.services.erasures.request(user.userId)
    await expect.poll(async () => existsSync(path.join(kinora.dataDir, 'heads/erasures.txt'))).toBe(true)
    await copyOnly()
    expect(await restore('erased', phrase, '--copy', firstCopy()), printed.join('\n')).toBe(0)
    expect(printed.join('\n')).toContain('Erased 1 of 1 listed accounts again.')
    expect(existsSync(path.join(into('erased'), 'media/videos', `${videoId}.mp4`))).toBe(false)
  })

  it('fail the drill if they cannot be restored, and are then not recorded as proven', async () => {
    const state = await readBackupState(kinora.context.pool)
    const { config } = context
    const broken = {
      ...context,
      config: { ...config, secrets: { ...config.secrets, encryption: 'cd'.repeat(32) } },
    }
    await expect(backUpAndProve(broken, state, new AbortController().signal)).rejects.toThrow(
      /The restored copy differs: keys: ENCRYPTION_KEY is not the key of this database/,
    )
    expect((await readBackupState(kinora.context.pool)).proven).toEqual(state.proven)
  })

  it('are taken once a night by one process, proven by a child process, and tried again after a failure', async () => {
    const { pool, leases, temporaryDir } = context
    const errors: string[] = []
    const log = { info: () => {}, warn: () => {}, error: ({ err }: { err: Error }) => errors.push(err.message) }
    let days = 1
    const moved = { ...context, log: log as never, clock: () => Date.now() + days * 86_400_000 }
    const timing = { first: 0, every: 50, retry: { initial: 50, max: 50 } }
    const away = path.join(temporaryDir, 'a-file')
    writeFileSync(away, '')
    const failing = {
      ...moved,
      ...backupsOf({ ...moved, config: kinora.context.config }, { to: { folder: away }, keepDays: 35 }),
    }
    const first = startBackups(failing, timing)
    await expect.poll(async () => (await readBackupState(pool)).failure?.reason).toBeDefined()
    await first.stop()
    expect(errors.length).toBeGreaterThan(0)
    const before = catalogues().length
    const { connection } = await connectDatabase({ databaseUrl: undefined, dataDir: kinora.dataDir }, () => {})
    const others = new Leases(connection, () => {})
    const running = [startBackups(moved, timing), startBackups({ ...moved, leases: others }, timing)]
    const isProving = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes('/children/proveCopy.ts')
    await expect.poll(isProving).toBe(true)
    await expect.poll(() => catalogues().length).toBe(before + 1)
    await expect.poll(async () => (await readBackupState(pool)).failure).toBeNull()
    days = 2
    await expect.poll(() => catalogues().length).toBe(before + 2)
    const proven = async () => (await readBackupState(pool)).proven!.copy.getTime()
    await expect.poll(proven).toBeGreaterThan(Date.now() + 86_400_000)
    await Promise.all(running.map((service) => service.stop()))
    await others.close()
    expect([catalogues().length, leases.held().includes('backup')]).toEqual([before + 2, false])
  })
})
