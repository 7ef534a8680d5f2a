import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { UndeliverableVideo } from '#backend/tasks/videoProvider.port.ts'
import { acceptedJob, answerOf, NEVER } from '../testing/videoProviderContract.ts'
import { KEY, openVideosApiWorld, request } from './testing/openVideosApiWorld.ts'

const world = openVideosApiWorld()
const { adapter, doubles, folder } = world

describe('the state of a job', () => {
  it.each(['succeeded', 'SUCCESS', 'completed', 'done'])('is finished when a gateway says %s', async (status) => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request({ duration: 5 }))
    world.double.jobs.get(jobId)!.status = status
    expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'finished', seconds: 5 })
  })
  it.each(['failed', 'FAIL', 'error', 'cancelled', 'canceled', 'expired'])(
    'is failed when a gateway says %s',
    async (status) => {
      world.double = doubles.sglang
      const provider = adapter()
      const jobId = await acceptedJob(provider, request())
      world.double.jobs.get(jobId)!.status = status
      expect(await provider.state(jobId, NEVER)).toMatchObject({ kind: 'failed', code: 'provider_failed' })
    },
  )
  it.each(['preparing', 'whatever'])('is rendering when a gateway says %s', async (status) => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    world.double.jobs.get(jobId)!.status = status
    expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'rendering', percent: undefined })
  })
  it('has the best-effort progress of SGLang', async () => {
    world.double = doubles.sglang
    world.double.renderMs = 60_000
    const provider = adapter()
    expect(await provider.state(await acceptedJob(provider, request()), NEVER)).toEqual({
      kind: 'rendering',
      percent: 99,
    })
  })
  it.each([
    ['progress', '100%'],
    ['created_at', '2026-11-26T00:00:00Z'],
    ['prompt', ['A cat']],
    ['seconds', { value: 5 }],
    ['url', { href: 'https://example.com/video.mp4' }],
    ['error', ''],
  ])('is read although a gateway fills in %s as %j', async (field, value) => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    const text = JSON.stringify({ id: jobId, status: 'completed', [field]: value })
    world.double.fault = () => ({ status: 200, text })
    expect(await provider.state(jobId, NEVER)).toMatchObject({ kind: 'finished' })
  })
  it('has the error that a gateway reports as a text', async () => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    const text = JSON.stringify({ id: jobId, status: 'failed', error: 'blocked by moderation' })
    world.double.fault = () => ({ status: 200, text })
    expect(await provider.state(jobId, NEVER)).toEqual({
      kind: 'failed',
      code: 'content_refused',
      detail: 'blocked by moderation',
    })
  })
  it('is unknown after a restart of the engine', async () => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    world.double.restart()
    expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'unknown' })
  })
  it.each([500, 502, 401, 404])('is asked for again after HTTP %i without an object', async (status) => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    world.double.fault = () => ({ status })
    await expect(provider.state(jobId, NEVER)).rejects.toThrow(`HTTP ${status}`)
    world.double.fault = () => undefined
    expect(await answerOf(provider, jobId)).toMatchObject({ kind: 'finished' })
  })
})

describe('a finished video', () => {
  const fetched = async (bucket?: string) => {
    world.double = doubles.sglang
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    world.double.bucket = bucket
    await answerOf(provider, jobId)
    const file = path.join(folder, `${Math.random()}.mp4`)
    await provider.fetch(jobId, file, NEVER)
    return (await readFile(file)).equals(world.double.video)
  }

  it('is downloaded with the key of the engine', async () => {
    expect(await fetched()).toBe(true)
    expect(world.double.received.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
  })
  it('is downloaded from the bucket that the engine names', async () => {
    expect(await fetched(`${doubles.sglang.url}/bucket/video.mp4`)).toBe(true)
  })
  it('is undeliverable after a restart of the engine, but not after a proxy’s 404', async () => {
    const provider = adapter()
    const jobId = await acceptedJob(provider, request())
    await answerOf(provider, jobId)
    const fetch = () => provider.fetch(jobId, path.join(folder, 'gone.mp4'), NEVER)
    world.double.fault = () => ({ status: 404 })
    await expect(fetch()).rejects.not.toBeInstanceOf(UndeliverableVideo)
    world.double.fault = () => undefined
    world.double.restart()
    await expect(fetch()).rejects.toBeInstanceOf(UndeliverableVideo)
  })
  it('is never downloaded from a private address that the engine names', async () => {
    await expect(fetched('https://127.0.0.1:1/video.mp4')).rejects.toThrow('HTTP 400')
  })
})

describe('a cancelled job', () => {
  const running = async () => {
    world.double.renderMs = 60_000
    const provider = adapter()
    return { provider, jobId: await acceptedJob(provider, request()) }
  }
  const deletes = (jobId: string) => world.double.count(`DELETE /v1/videos/${jobId}`)

  it('is deleted once', async () => {
    const { provider, jobId } = await running()
    expect([await provider.cancel(jobId, NEVER), deletes(jobId)]).toEqual(['cancelled', 1])
  })
  it('is deleted again while the engine answers that it is cancelling, at most three times', async () => {
    const { provider, jobId } = await running()
    world.double.cancelling = 2
    expect([await provider.cancel(jobId, NEVER), deletes(jobId)]).toEqual(['cancelled', 3])
    const another = await running()
    world.double.cancelling = 10
    await expect(another.provider.cancel(another.jobId, NEVER)).rejects.toThrow('HTTP 409')
    expect(deletes(another.jobId)).toBe(3)
  })
  it('goes on with SGLang, which would only forget it', async () => {
    world.double = doubles.sglang
    const { provider, jobId } = await running()
    expect([await provider.cancel(jobId, NEVER), deletes(jobId)]).toEqual(['unsupported', 0])
  })
  it.each([400, 405, 501])('goes on when a gateway answers %i', async (status) => {
    const { provider, jobId } = await running()
    world.double.fault = (call) => (call.startsWith('DELETE') ? { status } : undefined)
    if (status === 501) await expect(provider.cancel(jobId, NEVER)).rejects.toThrow()
    else expect(await provider.cancel(jobId, NEVER)).toBe('unsupported')
    expect((await provider.state(jobId, NEVER)).kind).toBe('rendering')
  })
})
