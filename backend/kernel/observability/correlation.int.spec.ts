import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

let kinora: TestKinora
const lines: Record<string, unknown>[] = []
beforeAll(async () => {
  const logTo = new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  kinora = await startTestKinora({ provider: await createProviderDouble(), logTo, env: { LOG_LEVEL: 'info' } })
})
afterAll(() => kinora.close())

type Stored = { stream: string; type: string; meta: { correlationId: string; causationId?: string } }
const eventsAbout = async (taskId: string) =>
  (
    await kinora.context.pool.query<Stored>(
      `select stream, type, meta from event where stream = $1 or data ->> 'holdId' = $2 or data ->> 'taskId' = $2 order by position`,
      [`videoTask-${taskId}`, taskId],
    )
  ).rows

describe('a correlation id', () => {
  it('is in the response, the log line and every event up to the captured credits', async () => {
    const user = await kinora.newUser()
    const id = crypto.randomUUID()
    const { id: taskId } = await generate(user, { 'x-correlation-id': id })
    await reaches(user, taskId, { status: 'Success' })
    await expect.poll(async () => (await eventsAbout(taskId)).map(({ type }) => type)).toContain('CreditsCaptured')
    await expect.poll(async () => (await eventsAbout(taskId)).map(({ type }) => type)).toContain('RenderSlotReleased')

    const events = await eventsAbout(taskId)
    expect(new Set(events.map(({ stream }) => stream.split('-')[0]))).toEqual(
      new Set(['creditAccount', 'videoTask', 'renderLane']),
    )
    for (const { type, meta } of events) expect(meta.correlationId, type).toBe(id)
    // The workflow's events are caused by the submission; the slot was asked for by the request itself.
    const submitted = events.findIndex(({ type }) => type === 'VideoTaskSubmitted')
    const caused = events.slice(submitted + 1).filter(({ type }) => type !== 'RenderSlotAsked')
    for (const { type, meta } of caused) expect(meta.causationId, type).toMatch(/^[0-9a-f-]{36}$/)

    const line = lines.find((each) => each.correlationId === id)
    expect(line).toMatchObject({ method: 'POST', route: '/api/v1/videos/generate', status: 202 })
    expect(line?.requestId).not.toBe(id)
  })

  it('is in the events of a deletion', async () => {
    const user = await kinora.newUser()
    const id = crypto.randomUUID()
    const tasks = [await generate(user), await generate(user)]
    await reaches(user, tasks[0]!.id, { status: 'Success' })
    const answer = await user.call('DELETE', `/videos/tasks/${tasks[0]!.id}`, undefined, { 'x-correlation-id': id })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('x-correlation-id')).toBe(id)
    const deleted = (await eventsAbout(tasks[0]!.id)).filter(({ type }) => type === 'VideoTaskDeleted')
    expect(deleted.map(({ meta }) => meta.correlationId)).toEqual([id])
  })

  it('is replaced with the request id if it is not a UUID', async () => {
    for (const said of ['1; drop table event', 'x'.repeat(5_000), '<script>']) {
      const { headers } = await fetch(`${kinora.api}/status`, { headers: { 'x-correlation-id': said } })
      expect(headers.get('x-correlation-id')).toBe(headers.get('x-request-id'))
    }
  })

  it('is logged without e-mail addresses, tokens or query strings', async () => {
    const user = await kinora.newUser('ada.lovelace@kinora.test')
    await fetch(`${kinora.api}/auth/verify-email?token=in-the-query`)
    await fetch(`${kinora.url}/webhooks/minimax/secret-of-an-address`, { method: 'POST', body: '{}' })
    const text = JSON.stringify(lines)
    for (const secret of [
      'ada.lovelace',
      'in-the-query',
      'secret-of-an-address',
      user.cookie.split('=')[1]!.slice(0, 20),
    ])
      expect(text).not.toContain(secret)
    expect(text).toContain('/webhooks/minimax/:address')
  })
})
