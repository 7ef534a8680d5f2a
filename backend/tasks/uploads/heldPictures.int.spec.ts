import { statSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createStartDrafts, startKey } from '../../accounts/start/startDrafts.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { MAX_UNUSED_BYTES } from './assertRoom.ts'
import { createImageUploads } from './imageUploads.ts'
import { createUploadLimits } from './uploadLimits.ts'

const [KB, MB] = [1024, 1024 * 1024]
const PICTURE = Buffer.alloc(4 * MB)

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

const code = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'stored',
    (error) => error.code as string,
  )

/** Adds the row of a task that was made from a picture. */
const insertTask = (user: string, image: string, status: string) =>
  db.pool.query(
    `insert into video_task (id, user_id, task_type, status, model, routes, duration, resolution, encrypted_prompt, camera_movements,
       prompt_optimizer, credits, credits_consumed, priority, created_at, first_frame)
     values (gen_random_uuid(), $1, 'image_to_video', $2, 'a', '[]', 6, '768P', '', '[]', false, 30, 0, 4, now(), $3)`,
    [user, status, image],
  )

describe('the disk that one account holds after a day of trying', () => {
  it('is at most the limit of pictures that no video uses', async () => {
    const files = new Map<string, number>()
    const media = {
      put: async (key: string, file: string) => void files.set(key, statSync(file).size),
      remove: async (key: string) => void files.delete(key),
    }
    const uploads = createImageUploads(db.database, media as never, db.postgres.server.socketDir)
    const limits = createUploadLimits(db.database, async () => {})
    const user = crypto.randomUUID()
    const held = () => [...files.values()].reduce((sum, bytes) => sum + bytes, 0)
    for (let hour = 0; hour < 24; hour++) {
      for (let n = 0; n < 60; n++) {
        const url = await uploads
          .add(user, limits, crypto.randomUUID(), async () => ({ frame: PICTURE, watermarked: PICTURE }))
          .catch(() => undefined)
        if (!url) continue
        const image = await uploads.claim(user, url)
        // Every second order is refused. The others are accepted, and cancelled before they cost anything.
        if (n % 2 === 0) await insertTask(user, image, 'Fail')
      }
      expect(held()).toBeLessThanOrEqual(MAX_UNUSED_BYTES)
      await db.pool.query(
        "update image_upload set created_at = created_at - interval '1 hour', used_at = used_at - interval '1 hour'",
      )
      await uploads.removeUnused()
    }
    expect(held()).toBeGreaterThan(MAX_UNUSED_BYTES / 2)
    expect(await code(uploads.store(user, PICTURE))).toBe('too_many_unused_images')
  })

  it('does not include pictures of videos that are made or being made', async () => {
    const uploads = createImageUploads(db.database, { put: async () => {} } as never, db.postgres.server.socketDir)
    const user = crypto.randomUUID()
    for (let n = 0; n < 60; n++) {
      const url = await uploads.store(user, PICTURE)
      await insertTask(user, await uploads.claim(user, url), n % 2 === 0 ? 'Success' : 'Processing')
    }
    expect(await code(uploads.store(user, PICTURE))).toBe('stored')
  })
})

describe('a picture with a name', () => {
  it('stays when others are swept, and is listed and named by its owner alone', async () => {
    const media = { put: async () => {}, remove: async () => {} }
    const uploads = createImageUploads(db.database, media as never, db.postgres.server.socketDir)
    const user = crypto.randomUUID()
    const idOf = (url: string) => url.split('/').at(-1)!
    const kept = idOf(await uploads.store(user, Buffer.alloc(KB)))
    const other = idOf(await uploads.store(user, Buffer.alloc(KB)))
    await uploads.store(user, Buffer.alloc(KB), undefined, crypto.randomUUID())
    expect((await uploads.list(user)).map(({ id, name }) => [id, name])).toEqual([
      [other, null],
      [kept, null],
    ])
    // The sweep trusts a list of tasks that is alive.
    await db.pool.query(
      "insert into projection_checkpoint (name, version, live_at) values ('videoTasks', 1, now()) on conflict (name) do update set live_at = now()",
    )
    await uploads.rename(user, kept, 'Our fox')
    expect(await code(uploads.rename(crypto.randomUUID(), other, 'Mine'))).toBe('not_found')
    const older =
      "update image_upload set created_at = created_at - interval '2 days', used_at = used_at - interval '2 days'"
    await db.pool.query(older)
    await uploads.removeUnused()
    expect((await uploads.list(user)).map(({ id, name }) => [id, name])).toEqual([[kept, 'Our fox']])
    await uploads.rename(user, kept, null)
    await db.pool.query(older)
    await uploads.removeUnused()
    expect(await uploads.list(user)).toEqual([])
    await db.pool.query("delete from projection_checkpoint where name = 'videoTasks'")
  })
})

describe('the disk that visitors hold', () => {
  beforeEach(() => db.pool.query('delete from start_image'))

  let now = Date.UTC(2026, 10, 28)
  /** The limits of visitors, in kB instead of MB. */
  const limits = { all: 500 * KB, network: 100 * KB }
  const drafts = () => createStartDrafts(db.database, startKey('0'.repeat(64)), () => now, limits)
  const held = async () => {
    const sql = 'select coalesce(sum(bytes), 0)::float as bytes from start_image'
    return (await db.pool.query<{ bytes: number }>(sql)).rows[0]!.bytes
  }

  it('is at most the limit of one network after a day of trying', async () => {
    for (let minute = 0; minute < 24 * 60; minute += 20) {
      now += 20 * 60_000
      for (let n = 0; n < 3; n++) await drafts().keepImage(Buffer.alloc(18 * KB), '198.51.100.1')
      expect(await held()).toBeLessThanOrEqual(limits.network)
    }
    expect(await held()).toBeGreaterThan(limits.network / 2)
  })

  it('leaves room for others, however many networks one attacker has', async () => {
    const token = await drafts().keepImage(Buffer.alloc(2 * KB), '203.0.113.1')
    for (let n = 0; n < 54; n++) await drafts().keepImage(Buffer.alloc(18 * KB), `198.51.100.${n % 27}`)
    expect(await held()).toBeLessThanOrEqual(limits.all)
    const later = await drafts().keepImage(Buffer.alloc(2 * KB), '203.0.113.2')
    for (const each of [token, later]) await drafts().assertImage(each)
    expect(await held()).toBeLessThanOrEqual(limits.all)
  })

  it('is refused to the network that would hold the most, if all others hold as little as they can', async () => {
    for (let n = 0; n < 250; n++)
      await db.pool.query(
        `insert into start_image (id, hash, sealed, bytes, expires_at, network) values (gen_random_uuid(), $1, '', $2, $3, $1)`,
        [String(n), 2 * KB, new Date(now + 60_000)],
      )
    expect(await code(drafts().keepImage(Buffer.alloc(3 * KB), '203.0.113.3'))).toBe('uploads_busy')
    expect(await code(drafts().keepImage(Buffer.alloc(KB), '203.0.113.3'))).toBe('stored')
    expect(await held()).toBeLessThanOrEqual(limits.all)
  })
})
