import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startVideosApiDouble, type VideosApiDouble } from './videosApiDouble.ts'

/** Examples of the engines' documented answers. */
const QUEUED = { object: 'video', status: 'queued', progress: 0, seconds: '4', size: '1280x720', error: null }

describe.each(['vllm-omni', 'sglang'] as const)('the double of %s', (personality) => {
  const isVllm = personality === 'vllm-omni'
  let double: VideosApiDouble
  beforeAll(async () => {
    double = await startVideosApiDouble({ personality, renderMs: 60_000 })
  })
  afterAll(() => double.close())

  const call = async (method: string, path: string, body?: FormData | string) => {
    const headers: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const answer = await fetch(`${double.url}${path}`, { method, headers, ...(body ? { body } : {}) })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
  }
  const form = (fields: Record<string, string | Blob>) => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.append(name, value)
    return data
  }
  const create = async () => {
    const { body } = await call('POST', '/v1/videos', form({ prompt: 'A cat', seconds: '4', size: '1280x720' }))
    return { body, job: double.jobs.get(body.id)! }
  }

  it('answers a multipart create call with the queued object', async () => {
    const { body } = await create()
    expect(body).toMatchObject(QUEUED)
    expect(body.id).toMatch(isVllm ? /^video_gen_[0-9a-f]{32}$/ : /^[0-9a-f-]{36}$/)
    expect(body.created_at).toBeCloseTo(Date.now() / 1000, -1)
  })
  it('accepts JSON only as SGLang', async () => {
    const { status } = await call('POST', '/v1/videos', JSON.stringify({ prompt: 'A cat', seconds: 4 }))
    expect(status).toBe(isVllm ? 422 : 200)
  })
  it('refuses another model, and two kinds of pictures, only as vLLM-Omni', async () => {
    const wrong = await call('POST', '/v1/videos', form({ prompt: 'A cat', model: 'another' }))
    expect(wrong).toMatchObject(isVllm ? { status: 400, body: { detail: 'Model mismatch' } } : { status: 200 })
    const pictures = form({ prompt: 'A cat', input_reference: new Blob(['x']), image_reference: '[]' })
    expect((await call('POST', '/v1/videos', pictures)).status).toBe(isVllm ? 400 : 200)
  })
  it('reports progress of 0 as vLLM-Omni and of 99 as SGLang until the end', async () => {
    const { body } = await create()
    expect((await call('GET', `/v1/videos/${body.id}`)).body).toMatchObject({
      status: 'in_progress',
      progress: isVllm ? 0 : 99,
    })
  })
  it('has no content before the end, and then a file with a name', async () => {
    const { body, job } = await create()
    const path = `/v1/videos/${body.id}/content`
    expect(await call('GET', path)).toMatchObject({ status: 404, body: { detail: 'Generation is still in-progress' } })
    Object.assign(job, { finishAt: 0 })
    const { status, headers } = await call('GET', path)
    expect([status, headers.get('content-disposition')]).toEqual([200, expect.stringContaining('filename=')])
  })
  it('answers a failed job with its error status and the object only as vLLM-Omni', async () => {
    const { body, job } = await create()
    Object.assign(job, { status: 'failed', error: { code: 500, message: 'CUDA out of memory' } })
    expect(await call('GET', `/v1/videos/${body.id}`)).toMatchObject({
      status: isVllm ? 500 : 200,
      body: { id: body.id, status: 'failed', error: { message: 'CUDA out of memory' } },
    })
    expect((await call('GET', `/v1/videos/${body.id}/content`)).status).toBe(422)
  })
  it('lists the latest jobs first', async () => {
    const { body } = await create()
    const list = (await call('GET', '/v1/videos?limit=2')).body
    expect(list).toMatchObject({ object: 'list', first_id: body.id })
    expect(list.data).toHaveLength(2)
    expect(list.data[0].prompt).toBe(isVllm ? 'A cat' : undefined)
  })
  it('stops a deleted job as vLLM-Omni, after 409 while it cancels, and only forgets it as SGLang', async () => {
    const { body, job } = await create()
    double.cancelling = 1
    const path = `/v1/videos/${body.id}`
    if (isVllm) {
      expect(await call('DELETE', path)).toMatchObject({ status: 409, body: { detail: 'Cancellation in progress' } })
      expect((await call('DELETE', path)).body).toEqual({ id: body.id, deleted: true, object: 'video.deleted' })
    } else expect((await call('DELETE', path)).body).toMatchObject({ id: body.id, object: 'video', status: 'deleted' })
    expect(job.aborted).toBe(isVllm ? true : undefined)
    expect(await call('GET', path)).toMatchObject({ status: 404, body: { detail: 'Video not found' } })
  })
  it('forgets all jobs when it restarts', async () => {
    const { body } = await create()
    double.restart()
    expect((await call('GET', `/v1/videos/${body.id}`)).status).toBe(404)
  })
  it('answers the health check and lists its model', async () => {
    expect(await call('GET', '/health')).toMatchObject({ status: 200, body: isVllm ? '' : { status: 'ok' } })
    expect((await call('GET', '/v1/models')).body.data).toMatchObject([{ id: double.model }])
  })
  it('names the bucket of an uploaded video only as SGLang', async () => {
    if (isVllm) return
    const { body, job } = await create()
    double.bucket = 'https://bucket.example/video.mp4'
    Object.assign(job, { finishAt: 0 })
    expect(await call('GET', `/v1/videos/${body.id}/content`)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(double.bucket) },
    })
    expect((await call('GET', `/v1/videos/${body.id}`)).body.url).toBe(double.bucket)
  })
})
