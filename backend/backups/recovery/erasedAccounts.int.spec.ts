import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { ERASURE_FILE } from '../../accounts/erasureList.ts'
import { runAudit } from '../../programs/audit.ts'
import { runBackup } from '../../programs/backup.ts'
import { runRestore } from '../../programs/restore.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import type { TestUser } from '../../testing/testUser.ts'

const place = mkdtempSync(path.join(os.tmpdir(), 'kinora-erased-again-'))
const backup = path.join(place, 'backup')
/** The list of erasures, copied to a place apart from the backup. */
const kept = path.join(place, 'kept', ERASURE_FILE)
let kinora: TestKinora
let staying: TestUser
let leaving: TestUser
let [stayingVideo, leavingVideo] = ['', '']
let printed = ''
const print = (text: string) => (printed += `${text}\n`)
const run = (program: typeof runBackup, ...args: string[]) => {
  printed = ''
  return program(args, { NODE_ENV: 'test', DATA_DIR: kinora.dataDir }, print)
}
const start = async (env: Record<string, string> = {}) =>
  startTestKinora({ provider: await createProviderDouble(), env })
const finishVideo = async (user: TestUser) => {
  const { id } = await generate(user)
  await reaches(user, id, { status: 'Success' })
  return id
}
const videoFile = (folder: string, id: string) => path.join(folder, 'media/videos', `${id}.mp4`)

beforeAll(async () => {
  kinora = await start()
  staying = await kinora.newUser()
  leaving = await kinora.newUser()
  stayingVideo = await finishVideo(staying)
  leavingVideo = await finishVideo(leaving)
  expect(await run(runBackup, '--out', backup)).toBe(0)
  const answer = await leaving.call('POST', '/users/delete', { password: 'correct horse' })
  expect(answer.status).toBeLessThan(300)
  const list = path.join(kinora.dataDir, 'heads', ERASURE_FILE)
  await eventually(() => expect(readFileSync(list, 'utf8')).toContain(leaving.userId))
  mkdirSync(path.dirname(kept))
  writeFileSync(kept, readFileSync(list))
})
afterAll(async () => {
  await kinora.close()
  rmSync(place, { recursive: true, force: true, maxRetries: 10 })
})

describe('an account that was erased after the backup', () => {
  it('is in the log, by its id only', async () => {
    const { rows } = await kinora.context.pool.query(`select data from event where stream = 'erasedAccounts'`)
    expect(rows).toEqual([{ data: { userId: leaving.userId, at: expect.any(String) } }])
  })

  it('is not restored at all from a backup with one changed byte of media', async () => {
    const file = videoFile(backup, stayingVideo)
    const whole = readFileSync(file)
    const changed = Buffer.from(whole)
    changed[changed.length >> 1]! ^= 1
    writeFileSync(file, changed)
    const into = path.join(place, 'refused')
    expect(await run(runRestore, '--from', backup, '--into', into, '--erasures', kept)).toBe(1)
    expect(printed).toContain(`1 files are changed or missing, for example media/videos/${stayingVideo}.mp4`)
    expect(existsSync(into)).toBe(false)
    writeFileSync(file, whole)
  })

  it('is not there after a restore with the list and the key that were kept apart, and everyone else is', async () => {
    const DATA_DIR = path.join(place, 'restored')
    expect(await run(runRestore, '--from', backup, '--into', DATA_DIR, '--erasures', kept), printed).toBe(0)
    expect(printed).toMatch(/Erased 1 of 1 listed accounts again\.\nRestored as of/)
    expect([leavingVideo, stayingVideo].map((id) => existsSync(videoFile(DATA_DIR, id)))).toEqual([false, true])

    const { encryption, session } = kinora.context.config.secrets
    const again = await start({ DATA_DIR, ENCRYPTION_KEY: encryption, SESSION_SECRET: session })
    try {
      const read = async (user: TestUser, address: string) => {
        const answer = await fetch(`${again.api}${address}`, { headers: { cookie: user.cookie } })
        return { status: answer.status, body: await answer.json() }
      }
      const own = { status: 'Success', prompt: 'A cat on a hill at sunset' }
      expect(await read(staying, `/videos/tasks/${stayingVideo}`)).toMatchObject({ status: 200, body: own })
      await finishVideo(await again.newUser())

      expect((await read(leaving, '/auth/me')).status).toBe(401)
      const { rows } = await again.context.pool.query(
        `select (select count(*)::int from user_account where id = $1) as accounts,
           (select count(*)::int from user_key where user_id = $1) as keys`,
        [leaving.userId],
      )
      expect(rows).toEqual([{ accounts: 0, keys: 0 }])
      const deleted = `select from event where stream = $1 and type = 'VideoTaskDeleted'`
      const isDeleted = () => again.context.pool.query(deleted, [`videoTask-${leavingVideo}`])
      await eventually(async () => expect((await isDeleted()).rowCount).toBe(1))

      printed = ''
      const code = await runAudit(['verify', '--files'], { env: { DATA_DIR }, print, printError: print })
      expect(code, printed).toBe(0)
      expect(printed).toContain('No deviation.')
    } finally {
      await again.close()
    }
  })

  it('cannot be read after a restore that was interrupted before it was erased again', async () => {
    const DATA_DIR = path.join(place, 'interrupted')
    mkdirSync(DATA_DIR)
    writeFileSync(path.join(DATA_DIR, 'media'), 'not a folder')
    await expect(run(runRestore, '--from', backup, '--into', DATA_DIR, '--erasures', kept)).rejects.toThrow('media')
    rmSync(path.join(DATA_DIR, 'media'))
    const { encryption, session } = kinora.context.config.secrets
    await expect(start({ DATA_DIR, ENCRYPTION_KEY: encryption, SESSION_SECRET: session })).rejects.toThrow(
      'The restore into this database was interrupted',
    )
  })

  it('is restored without the list, which restore says', async () => {
    const into = path.join(place, 'without')
    expect(await run(runRestore, '--from', backup, '--into', into)).toBe(0)
    expect(printed).toContain('accounts that were erased after the backup are restored')
    expect(existsSync(videoFile(into, leavingVideo))).toBe(true)
  })

  it('refuses a list that is damaged', async () => {
    const list = path.join(place, 'damaged.txt')
    writeFileSync(list, `${leaving.userId.slice(1)}\n`)
    expect(await run(runRestore, '--from', backup, '--into', path.join(place, 'no'), '--erasures', list)).toBe(2)
    expect(printed).toContain('is not the id of an account')
  })
})
