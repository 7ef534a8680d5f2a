import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runFfmpeg } from '#backend/kernel/media/ffmpeg.ts'
import { readImageHeader } from '#backend/kernel/media/imageFile.ts'
import { probeMp4 } from '#backend/kernel/media/probeMp4.ts'
import { UndeliverableVideo } from '#backend/tasks/videoProvider.port.ts'
import { eventually } from '#backend/testing/eventually.ts'
import { acceptedJob, answerOf, NEVER } from '../testing/videoProviderContract.ts'
import type { ComfyuiDouble } from './testing/comfyuiDouble.ts'
import { jobOf, openComfyuiWorld, promptIdOf, request, SERVERS } from './testing/openComfyuiWorld.ts'

const world = openComfyuiWorld()
const { doubles, folder, opened } = world

describe('the state of a job', () => {
  it('is queued behind other jobs', async () => {
    world.double.busy = true
    const provider = opened()
    expect(await provider.state(await acceptedJob(provider, request()), NEVER)).toEqual({ kind: 'queued' })
  })
  it('has the progress and the preview that the socket reports, and progress never goes back', async () => {
    world.double.renderMs = 60_000
    const provider = opened()
    const jobId = await acceptedJob(provider, request())
    const id = promptIdOf(jobId)
    expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'rendering', percent: undefined })
    const { clientId } = jobOf(world.double, jobId)
    await eventually(() => expect(world.double.clients.has(clientId)).toBe(true))
    const reported = async (value: number, percent: number) => {
      const frame = Buffer.from(`preview at ${value}`)
      world.double.sendProgress(id, value, 20, frame)
      await eventually(async () =>
        expect(await provider.state(jobId, NEVER)).toEqual({ kind: 'rendering', percent, frame }),
      )
    }
    await reported(5, 25)
    await reported(20, 99)
    await reported(1, 99)
  })
  it('has the progress of the job that the server works on only, because another process may end the one before', async () => {
    world.double.renderMs = 60_000
    const provider = opened()
    const [first, second] = [await acceptedJob(provider, request()), await acceptedJob(provider, request())]
    const { clientId } = jobOf(world.double, first)
    await eventually(() => expect(world.double.clients.has(clientId)).toBe(true))
    for (const jobId of [first, second]) {
      world.double.sendProgress(promptIdOf(jobId), 5, 20)
      await eventually(async () => expect(await provider.state(jobId, NEVER)).toMatchObject({ percent: 25 }))
    }
    expect(await provider.state(first, NEVER)).toEqual({ kind: 'rendering', percent: undefined })
  })
  it('has the progress again after the server’s restart, also if the clock was set back', async () => {
    world.double.renderMs = 60_000
    const provider = opened()
    const { clientId } = jobOf(world.double, await acceptedJob(provider, request()))
    await eventually(() => expect(world.double.clients.has(clientId)).toBe(true))
    world.double.clients.get(clientId)!.terminate()
    world.double.clients.delete(clientId)
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() - 24 * 3_600_000 })
    onTestFinished(() => void vi.useRealTimers())
    // The fake monotonic clock starts at zero.
    vi.advanceTimersByTime(3_600_000)
    await eventually(async () => {
      await acceptedJob(provider, request())
      expect(world.double.clients.has(clientId)).toBe(true)
    })
  })
  it('has the cost of the GPU’s time', async () => {
    const provider = opened()
    const jobId = await acceptedJob(provider, request())
    // Two seconds at a tenth of a cent.
    expect(await answerOf(provider, jobId)).toEqual({ kind: 'finished', costCents: 0.2 })
  })
  it.each(SERVERS)(
    'has the message of a failure, and no film of a graph without a video (%s server)',
    async (server) => {
      world.double = doubles[server]
      const provider = opened()
      const jobId = await acceptedJob(provider, request())
      Object.assign(jobOf(world.double, jobId), { state: 'failed', error: 'Allocation on device' })
      expect(await provider.state(jobId, NEVER)).toMatchObject({
        kind: 'failed',
        detail: 'Node 3 (KSampler): Allocation on device',
      })
      Object.assign(jobOf(world.double, jobId), { state: 'completed' })
      world.double.filename = 'picture.png'
      expect(await provider.state(jobId, NEVER)).toMatchObject({
        detail: expect.stringMatching(/^The graph saved picture\.png, and neither a video/),
      })
    },
  )
})

describe('a finished video', () => {
  const fetched = async (changes: Partial<ComfyuiDouble> = {}) => {
    const provider = opened()
    const jobId = await acceptedJob(provider, request())
    Object.assign(world.double, changes)
    await answerOf(provider, jobId)
    const file = path.join(folder, `${Math.random()}.mp4`)
    await provider.fetch(jobId, file, NEVER)
    return readFile(file)
  }

  it('has neither the graph nor the prompt in its metadata', async () => {
    const file = await fetched()
    expect(file.includes('secret prompt') || file.includes('class_type')).toBe(false)
    expect(file.length).toBeGreaterThan(1_000)
  })
  it.each(['webm', 'mkv'])('of the format %s is converted', async (format) => {
    expect((await fetched({ filename: `kinora_00001_.${format}` })).subarray(4, 8).toString()).toBe('ftyp')
  })
  it('is made of the frames of a graph that saves pictures, at the frame rate of the graph', async () => {
    const png = path.join(folder, 'frame.png')
    await runFfmpeg(['-f', 'lavfi', '-i', 'testsrc=size=97x55', '-frames:v', '1', '-y', png])
    const made = path.join(folder, 'made.mp4')
    await writeFile(made, await fetched({ filename: 'kinora_00001_.png', files: 48, frame: await readFile(png) }))
    // 48 frames at 16 a second.
    expect(await probeMp4(made)).toMatchObject({ duration: 3, width: 96, height: 54 })
  })
  it('is undeliverable after a restart of the server', async () => {
    const provider = opened()
    const jobId = await acceptedJob(provider, request())
    await answerOf(provider, jobId)
    world.double.restart()
    const fetched = provider.fetch(jobId, path.join(folder, 'gone.mp4'), NEVER)
    await expect(fetched).rejects.toBeInstanceOf(UndeliverableVideo)
  })
  it.each(['images', 'gifs', 'video'])(
    'is found among the %s of a node, and is not its preview',
    async (outputList) => {
      await fetched({ outputList })
      const url = world.double.received.findLast(({ call }) => call === 'GET /view')!.url
      expect(Object.fromEntries(url.searchParams)).toEqual({
        filename: 'kinora_00001_.mp4',
        subfolder: 'video',
        type: 'output',
      })
    },
  )
})

describe('a cancelled job', () => {
  it.each(SERVERS)('leaves the jobs of others alone (%s server)', async (server) => {
    world.double = doubles[server]
    world.double.renderMs = 60_000
    const provider = opened()
    const [mine, other] = [await acceptedJob(provider, request()), await acceptedJob(provider, request())]
    world.double.busy = true
    const waiting = await acceptedJob(provider, request())
    expect(await provider.cancel(mine, NEVER)).toBe('cancelled')
    expect(await provider.cancel(waiting, NEVER)).toBe('cancelled')
    expect([jobOf(world.double, other).state, world.double.jobs.has(promptIdOf(waiting))]).toEqual([
      'in_progress',
      false,
    ])
    const interrupts = world.double.received.filter(({ call }) => call === 'POST /interrupt')
    expect(interrupts.every(({ body }) => JSON.parse(body.toString()).prompt_id)).toBe(true)
  })
})

it('a discarded task leaves one pixel of each picture that it uploaded, and nothing of other tasks', async () => {
  const picture = path.join(world.folder, 'picture.jpg')
  const jpeg = Buffer.from('ffd8ffc0001108032002580301220002110003110' + '1ffd9', 'hex')
  await writeFile(picture, jpeg)
  const provider = opened()
  const [mine, other] = [
    await acceptedJob(provider, request({ firstFrame: picture })),
    await acceptedJob(provider, request({ firstFrame: picture })),
  ]
  await answerOf(provider, mine)
  await provider.discard(promptIdOf(mine))
  const uploaded = (jobId: string) => world.double.uploads.get(`kinora/${promptIdOf(jobId)}-first.jpg`)!
  expect([readImageHeader(uploaded(mine)), uploaded(other)]).toMatchObject([{ width: 1, height: 1 }, jpeg])
  expect(world.double.uploads.has(`kinora/${promptIdOf(mine)}-last.jpg`)).toBe(false)
})

it('a discarded task leaves the history, which contains its prompt', async () => {
  const provider = opened()
  const jobId = await acceptedJob(provider, request())
  await answerOf(provider, jobId)
  await provider.discard(promptIdOf(jobId))
  expect(world.double.jobs.has(promptIdOf(jobId))).toBe(false)
})

it.each(SERVERS)(
  'a job that is cancelled while it runs leaves the history when its step ends (%s server)',
  async (server) => {
    world.double = doubles[server]
    Object.assign(world.double, { renderMs: 60_000, stepMs: 100 })
    const provider = opened()
    const jobId = await acceptedJob(provider, request())
    expect(await provider.cancel(jobId, NEVER)).toBe('cancelled')
    await provider.discard(promptIdOf(jobId))
    expect(world.double.jobs.has(promptIdOf(jobId))).toBe(false)
  },
)
