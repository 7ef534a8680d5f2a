import { createCanvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '#backend/testing/eventually.ts'
import { createProviderDouble, type ProviderDouble } from '../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../testing/testUser.ts'
import type { RealtimeMessage, Task } from './contract.ts'

let kinora: TestKinora
let provider: ProviderDouble
let other: TestUser

const picture = (width: number, height: number) => {
  const canvas = createCanvas(width, height)
  canvas.getContext('2d').fillRect(0, 0, width / 2, height / 2)
  return canvas.toBuffer('image/jpeg')
}

beforeAll(async () => {
  provider = await createProviderDouble()
  kinora = await startTestKinora({ provider })
  other = await kinora.newUser()
})
afterAll(() => kinora.close())

const at = (url: string, by: TestUser | undefined) =>
  fetch(kinora.url + url, { headers: by ? { cookie: by.cookie } : {} })

describe('the picture so far of a render', () => {
  it('is shown to its owner while the render runs, at a new address for each frame', async () => {
    const user = await kinora.newUser()
    const show = (percent: number, frame?: Buffer) => {
      provider.answer = () => ({ kind: 'rendering', percent, ...(frame && { frame }) })
    }
    show(5)
    const { task: made } = (await (await user.call('POST', '/videos/generate', GENERATION)).json()) as { task: Task }
    const shown = async () => (await (await user.call('GET', `/videos/tasks/${made.id}`)).json()) as Task
    const until = (progress: number) =>
      eventually(async () => expect(await shown()).toMatchObject({ status: 'Processing', progress }))
    await until(5)
    expect((await shown()).live_frame_url).toBeNull()
    const address = `/api/v1/videos/tasks/${made.id}/frame`
    expect((await at(address, user)).status).toBe(404)
    const [first, second] = [picture(64, 36), picture(36, 64)]
    for (const [percent, frame, url] of [
      [10, first, `${address}?at=10`],
      // The address changes only with the frame.
      [20, first, `${address}?at=10`],
      [30, second, `${address}?at=30`],
    ] as const) {
      show(percent, frame)
      await until(percent)
      expect((await shown()).live_frame_url).toBe(url)
      const answer = await at(url, user)
      expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
        'image/jpeg',
        'private, no-store',
      ])
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(frame)
    }
    expect([(await at(address, other)).status, (await at(address, undefined)).status]).toEqual([403, 401])
    provider.answer = () => ({ kind: 'finished' })
    await eventually(async () => expect((await shown()).status).toBe('Success'))
    expect([(await shown()).live_frame_url, (await at(address, user)).status]).toEqual([null, 404])
  })
})

describe('the socket of a user', () => {
  const listen = async (user: TestUser) => {
    const heard: RealtimeMessage[] = []
    const read: Promise<Task>[] = []
    const socket = new WebSocket(await user.socketAddress())
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as RealtimeMessage
      heard.push(message)
      if (message.type === 'task_update')
        read.push(user.call('GET', `/videos/tasks/${message.task.id}`).then((answer) => answer.json() as Promise<Task>))
    })
    await new Promise((resolve) => socket.on('open', resolve))
    socket.send('{"type":"ping"}')
    await expect.poll(() => heard).toEqual([{ type: 'pong' }])
    return { heard, read, socket }
  }
  const STATUSES = ['Preparing', 'Queueing', 'Processing', 'DOWNLOADING', 'Success']

  it('receives its own task and credit updates in order, after they can be read', async () => {
    provider.answer = () => ({ kind: 'rendering', percent: 42 })
    const user = await kinora.newUser()
    const [mine, others] = [await listen(user), await listen(other)]
    const { task: made } = (await (await user.call('POST', '/videos/generate', GENERATION)).json()) as { task: Task }
    const updates = () => mine.heard.flatMap((message) => (message.type === 'task_update' ? [message.task] : []))
    await expect.poll(() => updates().at(-1)).toMatchObject({ status: 'Processing', progress: 42 })
    provider.answer = () => ({ kind: 'finished' })
    await eventually(() => expect(updates().at(-1)).toMatchObject({ status: 'Success', id: made.id }))
    const places = updates().map(({ status }) => STATUSES.indexOf(status))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    const readBack = await Promise.all(mine.read)
    expect(readBack.every(({ status }, n) => STATUSES.indexOf(status) >= places[n]!)).toBe(true)
    expect(readBack.at(-1)).toEqual(updates().at(-1))
    const credits = mine.heard.filter(({ type }) => type === 'credits_update')
    expect(credits[0]).toEqual({ type: 'credits_update', remaining: 30, total: 60 })
    expect(others.heard).toEqual([{ type: 'pong' }])
    for (const { socket } of [mine, others]) socket.close()
  })

  it('hears of a cancelled and of a deleted task, of its own only', async () => {
    provider.answer = () => ({ kind: 'rendering', percent: 1 })
    const user = await kinora.newUser()
    const [mine, others] = [await listen(user), await listen(other)]
    const { task: made } = (await (await user.call('POST', '/videos/generate', GENERATION)).json()) as { task: Task }
    const last = () => mine.heard.filter(({ type }) => type !== 'credits_update').at(-1)
    await expect.poll(last).toMatchObject({ task: { status: 'Processing' } })
    expect((await user.call('POST', `/videos/tasks/${made.id}/cancel`)).status).toBe(202)
    await expect.poll(last).toMatchObject({ task: { status: 'Fail', error_code: 'cancelled' } })
    expect((await user.call('DELETE', `/videos/tasks/${made.id}`)).status).toBe(204)
    await expect.poll(last).toEqual({ type: 'task_deleted', id: made.id })
    expect(others.heard).toEqual([{ type: 'pong' }])
    for (const { socket } of [mine, others]) socket.close()
  })

  it('requires a token of a signed-in user', async () => {
    expect((await fetch(`${kinora.api}/ws/token`, { method: 'POST' })).status).toBe(401)
  })
})
