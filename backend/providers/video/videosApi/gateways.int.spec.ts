import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { probeMp4 } from '#backend/kernel/media/probeMp4.ts'
import { acceptedJob, answerOf, NEVER } from '../testing/videoProviderContract.ts'
import { startLocalAiDouble, startNewApiDouble } from './testing/gatewayDoubles.ts'
import { openVideosApiWorld, request } from './testing/openVideosApiWorld.ts'

const { adapter, folder } = openVideosApiWorld()
let newApi: Awaited<ReturnType<typeof startNewApiDouble>>
let localAi: Awaited<ReturnType<typeof startLocalAiDouble>>
beforeAll(async () => {
  newApi = await startNewApiDouble()
  localAi = await startLocalAiDouble()
})
afterAll(async () => {
  await newApi.close()
  await localAi.close()
})
const order = (more = {}) => request({ providerModel: 'Wan2.2-TI2V-5B', resolution: '480P', ...more })

describe('new-api, from what its source answers', () => {
  const provider = () => adapter({ baseUrl: newApi.url })

  it('offers a model for its engine as usual, and one of another channel from text with size and length alone', async () => {
    const offered = (await provider().models!(NEVER)).map(({ id, shapes, inputs, seed, negativePrompt }) => ({
      ...{ id, tasks: shapes[0]!.taskTypes, firstFrame: inputs.firstFrame, seed, negativePrompt },
    }))
    expect(offered).toEqual([
      {
        ...{ id: 'Wan2.2-TI2V-5B', tasks: ['text_to_video', 'image_to_video'] },
        ...{ firstFrame: true, seed: true, negativePrompt: true },
      },
      { id: 'kling-v3', tasks: ['text_to_video'], firstFrame: false, seed: false, negativePrompt: false },
    ])
  })
  it('sends a picture as a file, which new-api passes on, and delivers the film', async () => {
    const [picture, film] = [path.join(folder, 'frame.jpg'), path.join(folder, 'film.mp4')]
    await writeFile(picture, Buffer.from('ffd8ffc00011080320025803012200021100031101ffd9', 'hex'))
    const jobId = await acceptedJob(provider(), order({ firstFrame: picture }))
    expect(await answerOf(provider(), jobId)).toMatchObject({ kind: 'finished' })
    await provider().fetch(jobId, film, NEVER)
    expect((await probeMp4(film)).duration).toBeGreaterThan(0)
    expect(await provider().cancel(jobId, NEVER)).toBe('too_late')
  })
  it('reports a job that it has lost as unknown', async () => {
    const jobId = await acceptedJob(provider(), order())
    newApi.jobs.clear()
    expect(await provider().state(jobId, NEVER)).toEqual({ kind: 'unknown' })
  })
  it('names what the engine behind refused', async () => {
    newApi.upstream = { status: 400, text: '{"detail":"Model mismatch"}' }
    onTestFinished(() => void Object.assign(newApi, { upstream: undefined }))
    expect(await provider().create(order())).toMatchObject({
      kind: 'refused',
      detail: expect.stringContaining('fail_to_fetch_task {"detail":"Model mismatch"}'),
    })
  })
})

describe('LocalAI, from what its source answers', () => {
  it('is found, and its models are not offered even by name, because it has no jobs', async () => {
    for (const models of [undefined, ['wan-2.2']]) {
      const provider = adapter({ baseUrl: localAi.url, models })
      expect(await provider.models!(NEVER)).toEqual([])
      expect(await provider.check(NEVER)).toMatchObject({ ok: false, detail: expect.stringContaining('LocalAI') })
    }
    expect(localAi.received.filter(({ call }) => call.startsWith('POST'))).toEqual([])
  })
})
