import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { type ComfyuiDouble, startComfyuiDouble } from './comfyuiDouble.ts'

const GRAPH = { '6': { class_type: 'CLIPTextEncode', inputs: { text: 'A cat' } } }
let double: ComfyuiDouble
let older: ComfyuiDouble
beforeAll(async () => {
  double = await startComfyuiDouble()
  older = await startComfyuiDouble({ older: true, header: ['X-Key', 'secret'] })
})
beforeEach(() => {
  for (const each of [double, older]) Object.assign(each, { busy: false, renderMs: 60_000 })
})
afterAll(async () => {
  await double.close()
  await older.close()
})

const call = async (engine: ComfyuiDouble, method: string, path: string, body?: object, more = {}) => {
  const headers = { 'X-Key': 'secret', 'content-type': 'application/json', ...more }
  const answer = await fetch(`${engine.url}${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text }
}
const queue = async (engine: ComfyuiDouble, id: string = randomUUID()) => {
  const body = { prompt: GRAPH, prompt_id: id, client_id: 'me' }
  expect(await call(engine, 'POST', '/prompt', body)).toMatchObject({ status: 200, body: { prompt_id: id } })
  return id
}

describe('the double of ComfyUI', () => {
  it('takes our prompt_id, a canonical UUID only, and does not refuse it twice', async () => {
    const id = await queue(double)
    await queue(double, id)
    expect(double.started.filter((job) => job.id === id)).toHaveLength(2)
    expect(await call(double, 'POST', '/prompt', { prompt: GRAPH, prompt_id: id.toUpperCase() })).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_prompt_id' }, node_errors: {} },
    })
  })
  it('names the nodes of a graph that it cannot run', async () => {
    const prompt = { '9': { class_type: 'SaveVideo', inputs: { video: ['8', 0] } } }
    const { status, body } = await call(double, 'POST', '/prompt', { prompt, prompt_id: randomUUID() })
    expect([status, Object.keys(body.node_errors)]).toEqual([400, ['9']])
  })
  it('reports a job by its id, or 404 with an error', async () => {
    const id = await queue(double)
    expect((await call(double, 'GET', `/api/jobs/${id}`)).body).toMatchObject({ id, status: 'in_progress' })
    double.jobs.get(id)!.finishAt = 0
    expect((await call(double, 'GET', `/api/jobs/${id}`)).body).toMatchObject({
      status: 'completed',
      outputs: { '9': { images: [{}, { filename: 'kinora_00001_.mp4', type: 'output' }], animated: [true] } },
    })
    Object.assign(double.jobs.get(id)!, { state: 'failed', error: 'Allocation on device' })
    expect((await call(double, 'GET', `/api/jobs/${id}`)).body).toMatchObject({
      status: 'failed',
      execution_error: { exception_message: 'Allocation on device' },
    })
    double.restart()
    expect(await call(double, 'GET', `/api/jobs/${id}`)).toEqual({ status: 404, body: { error: 'Job not found' } })
  })
  it('cancels a job, and always answers 200', async () => {
    const id = await queue(double)
    const cancel = () => call(double, 'POST', `/api/jobs/${id}/cancel`)
    expect(await cancel()).toEqual({ status: 200, body: { cancelled: true } })
    expect(await cancel()).toEqual({ status: 200, body: { cancelled: false } })
  })
  it('refuses calls with an Origin, and without the header of its proxy', async () => {
    expect((await call(double, 'GET', '/queue', undefined, { origin: 'http://kinora' })).status).toBe(403)
    expect((await call(older, 'GET', '/queue', undefined, { 'X-Key': 'wrong' })).status).toBe(401)
  })
  it('has only history and queue as an older server', async () => {
    const id = await queue(older)
    expect(await call(older, 'GET', `/api/jobs/${id}`)).toEqual({ status: 404, body: '404: Not Found' })
    expect((await call(older, 'GET', `/history/${id}`)).body).toEqual({})
    expect((await call(older, 'GET', '/queue')).body.queue_running[0][1]).toBe(id)
    older.jobs.get(id)!.finishAt = 0
    const entry = (await call(older, 'GET', `/history/${id}`)).body[id]
    expect(entry.status).toMatchObject({ status_str: 'success', completed: true })
    expect(entry.status.messages[1][0]).toBe('execution_success')
  })
  it('interrupts whatever runs when the call names no job', async () => {
    const [one, two] = [await queue(older), await queue(older)]
    await call(older, 'POST', '/interrupt', { prompt_id: one })
    expect([older.jobs.get(one)!.state, older.jobs.get(two)!.state]).toEqual(['cancelled', 'in_progress'])
    await call(older, 'POST', '/interrupt')
    expect(older.jobs.get(two)!.state).toBe('cancelled')
  })
  it('sends previews and progress to the client that queued the job', async () => {
    const id = await queue(double)
    const socket = new WebSocket(`${double.url.replace('http', 'ws')}/ws?clientId=me`)
    const messages: string[] = []
    const received = new Promise<void>((resolve) => {
      socket.on('message', (data, isBinary) => {
        messages.push(isBinary ? 'binary' : JSON.parse(String(data)).type)
        if (messages.length === 3) resolve()
      })
    })
    socket.once('message', () => double.sendProgress(id, 5, 20))
    await received
    expect(messages).toEqual(['status', 'progress', 'binary'])
    socket.terminate()
  })
  it('writes the graph into the file', () => expect(double.video.includes('a secret prompt')).toBe(true))
})
