import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../../testing/testUser.ts'
import type { Share, Task } from '../contract.ts'

const OPERATOR = { username: 'olga', password: 'a password for olga' }
let kinora: TestKinora
let owner: TestUser
let cookie = ''
beforeAll(async () => {
  const env = { OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password, TRUSTED_PROXIES: '1' }
  kinora = await startTestKinora({ provider: await createProviderDouble(), env })
  cookie = (await kinora.post('/analytics/login', OPERATOR)).headers.getSetCookie()[0]!.split(';')[0]!
  owner = await kinora.newUser()
})
afterAll(() => kinora?.close())

async function shared(): Promise<{ task: Task; id: string }> {
  const { task } = (await (await owner.call('POST', '/videos/generate', GENERATION)).json()) as { task: Task }
  await eventually(async () => {
    const { status } = (await (await owner.call('GET', `/videos/tasks/${task.id}`)).json()) as Task
    expect(status).toBe('Success')
  })
  const { url } = (await (await owner.call('POST', `/videos/tasks/${task.id}/share`, {})).json()) as Share
  return { task, id: url.slice(-22) }
}

const report = async (id: string, reason: string, from: string) => {
  const answer = await fetch(`${kinora.api}/shares/${id}/report`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ reason }),
  })
  return answer.status
}
const desk = async (method: string, route: string, body?: object) => {
  const headers = { cookie, 'content-type': 'application/json' }
  const answer = await fetch(kinora.api + route, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return (await answer.json()) as { cases: { id: string; subject: string }[]; total: number }
}

it('opens one case for a film however often it is reported, and none again for what was dismissed', async () => {
  const { task, id } = await shared()
  const open = async () =>
    (await desk('GET', '/desk/cases?kind=report')).cases.filter((each) => each.subject === task.id)
  expect(await report(id, 'hate', '203.0.113.1')).toBe(204)
  expect(await report(id, 'other', '203.0.113.2')).toBe(204)
  await eventually(async () => expect(await open()).toHaveLength(1))
  const [found] = await open()
  await desk('POST', `/desk/cases/${found!.id}/close`, { outcome: 'dismissed', note: 'harmless' })
  expect(await open()).toEqual([])
  expect(await report(id, 'hate', '203.0.113.3')).toBe(204)
  expect(await report(id, 'other', '203.0.113.4')).toBe(204)
  expect(await report(id, 'violence', '203.0.113.5')).toBe(204)
  await eventually(async () => expect(await open()).toHaveLength(1))
})

it('limits the reports of a network, and refuses those of films that are not shared', async () => {
  const { id } = await shared()
  expect(await report('x'.repeat(22), 'hate', '198.51.100.1')).toBe(404)
  expect(await report(id, 'dislike', '198.51.100.2')).toBe(422)
  const answers = []
  for (let n = 0; n < 7; n++) answers.push(await report(id, 'hate', '198.51.100.3'))
  expect(answers).toEqual([204, 204, 204, 204, 204, 429, 429])
})
