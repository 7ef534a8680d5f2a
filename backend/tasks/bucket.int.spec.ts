import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { notify } from '../kernel/postgres/notify.ts'
import { type S3Double, startS3Double } from '../providers/storage/testing/s3Double.ts'
import { createProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { MEDIA_REMOVALS } from './mediaRemovals.ts'

let bucket: S3Double
let kinora: TestKinora
beforeAll(async () => {
  bucket = await startS3Double()
  const { endpoint, bucket: name, region, accessKeyId, secretAccessKey } = bucket.access
  kinora = await startTestKinora({
    provider: await createProviderDouble(),
    env: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: name,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
  })
})
afterAll(async () => {
  await kinora?.close()
  await bucket?.close()
})

const filesOf = (id: string) => [...bucket.objects.keys()].filter((key) => key.includes(id))

describe('Kinora with media in a bucket', () => {
  it('serves and seeks a video to its owner through its own URLs', async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Success' })
    const video = bucket.objects.get(`watermarked/${id}.mp4`)!
    expect(filesOf(id)).toHaveLength(4)
    expect(readdirSync(kinora.dataDir)).not.toContain('media')
    const bytes = async (answer: Response) => Buffer.from(await answer.arrayBuffer())

    const whole = await user.call('GET', `/videos/preview/${id}`)
    expect([whole.status, (await bytes(whole)).equals(video)]).toEqual([200, true])
    const part = await user.call('GET', `/videos/preview/${id}`, undefined, { range: 'bytes=100-299' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-299/${video.length}`])
    expect((await bytes(part)).equals(video.subarray(100, 300))).toBe(true)
    expect((await (await kinora.newUser()).call('GET', `/videos/preview/${id}`)).status).toBe(403)

    expect((await user.call('DELETE', `/videos/tasks/${id}`)).status).toBe(204)
    await eventually(() => expect(filesOf(id)).toEqual([]))
    expect(readdirSync(kinora.context.temporaryDir).filter((name) => name !== 'copies')).toEqual([])
  })
  it('deletes a video while the bucket is away, and its files when the bucket is back', async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Success' })
    const waiting = async () => (await kinora.context.pool.query('select task_id from media_removal')).rows
    bucket.fault = (method) => (method === 'DELETE' ? { status: 503 } : undefined)
    expect((await user.call('DELETE', `/videos/tasks/${id}`)).status).toBe(204)
    expect((await user.call('GET', `/videos/preview/${id}`)).status).toBe(404)
    expect([filesOf(id).length, await waiting()]).toEqual([4, [{ task_id: id }]])
    bucket.fault = () => undefined
    await eventually(async () => expect([filesOf(id), await waiting()]).toEqual([[], []]))
  })

  it('keeps the files of a video whose deletion is rejected', async () => {
    const user = await kinora.newUser()
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Success' })
    const { removals } = kinora.services
    const rejected = removals.around(id, () => Promise.reject(new Error('rejected')))
    await expect(rejected).rejects.toThrow('rejected')
    await removals.giveUp(id)
    expect(await removals.waiting()).toEqual([id])
    const { pool } = kinora.context
    const growOld = () => pool.query(`update media_removal set requested_at = now() - interval '2 minutes'`)
    await growOld()
    // Another deletion of it is in progress.
    await removals.around(id, () => removals.giveUp(id))
    expect(await removals.waiting()).toEqual([id])
    await growOld()
    await notify(pool, { name: MEDIA_REMOVALS, ids: [id] })
    await eventually(async () => expect(await removals.waiting()).toEqual([]))
    expect(filesOf(id)).toHaveLength(4)
  })
})
