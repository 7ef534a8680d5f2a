import { mkdtempSync, readdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#backend/testing/eventually.ts'
import { reaches } from '#workflows/testing/userTasks.ts'
import { startVideosApiDouble, type VideosApiDouble } from '../../providers/video/videosApi/testing/videosApiDouble.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION } from '../../testing/testUser.ts'

const KEY = 'sk-wizard-secret'
const OPERATOR = { username: 'operator', password: 'a wall of numbers' }

describe('the engine wizard', () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-wizard-'))
  let kinora: TestKinora
  let engine: VideosApiDouble
  let cookie = ''
  beforeAll(async () => {
    engine = await startVideosApiDouble({ apiKey: KEY })
    kinora = await startTestKinora({
      env: { DATA_DIR: dataDir, OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password },
    })
    const login = await call('POST', '/analytics/login', OPERATOR)
    cookie = login.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')
  })
  afterAll(async () => {
    await kinora?.stop()
    await engine?.close()
  })
  const call = (method: string, route: string, body?: object) =>
    fetch(`${kinora.api}${route}`, {
      method,
      headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  const json = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, never>>
  const board = async () => (await json(call('GET', '/analytics/engines'))).data as unknown as Board
  type Board = {
    demo: boolean
    engines: { name: string; by: string; ok: boolean }[]
    models: { id: string; engine: string; unpriced: boolean; shapes: { credits: number; cents: number | null }[] }[]
  }

  it('is the operator’s alone', async () => {
    for (const [method, route] of [
      ['GET', '/analytics/engines'],
      ['POST', '/analytics/engines/find'],
      ['PUT', '/analytics/engines'],
    ] as const)
      expect((await fetch(`${kinora.api}${route}`, { method })).status).toBe(401)
  })

  it('connects what it finds without a restart, tries it, sets its price, and forgets it', async () => {
    expect(await board()).toMatchObject({ demo: true, engines: [] })
    const found = await json(call('POST', '/analytics/engines/find', { address: `${engine.url}/v1/` }))
    expect(found).toEqual({ found: [{ kind: 'videos-api', url: engine.url, detail: 'needs a key' }] })

    const refused = await call('PUT', '/analytics/engines', { engine: 'videos-api', address: engine.url, key: 'wrong' })
    expect([refused.status, (await refused.json()).code]).toEqual([422, 'engine_refused'])
    const accepted = await call('PUT', '/analytics/engines', { engine: 'videos-api', address: engine.url, key: KEY })
    expect(accepted.status).toBe(204)

    // The demo yields, and the status says so.
    const { demo, engines, models } = await board()
    expect([demo, engines]).toMatchObject([false, [{ name: 'videos-api', by: 'board', ok: true }]])
    expect(models.map(({ id, engine: name, unpriced }) => [id, name, unpriced])).toEqual([
      [engine.model, 'videos-api', true],
    ])
    expect(await json(call('GET', '/status'))).toMatchObject({ demo_renderer: false })

    const { test_id: id } = await json(
      call('POST', '/analytics/engines/test', { model: engine.model, prompt: 'A fox' }),
    )
    await eventually(async () =>
      expect(await json(call('GET', `/analytics/engines/test/${id}`))).toMatchObject({ state: 'finished' }),
    )
    const clip = await call('GET', `/analytics/engines/test/${id}/clip`)
    expect([clip.headers.get('content-type'), Buffer.from(await clip.arrayBuffer()).equals(engine.video)]).toEqual([
      'video/mp4',
      true,
    ])

    // A price can be set while the cost is unknown.
    for (const cents of [null, 12]) {
      const prices = models[0]!.shapes.map(() => ({ credits: 50, cents }))
      expect((await call('PUT', '/analytics/engines/price', { model: engine.model, prices })).status).toBe(204)
      expect((await board()).models[0]).toMatchObject({ unpriced: false, shapes: [{ credits: 50, cents }] })
    }
    expect(readdirSync(path.join(dataDir, 'models'))).toEqual([`${encodeURIComponent(engine.model)}.json`])

    const user = await kinora.newUser()
    const order = { ...GENERATION, model: engine.model, resolution: '480P', duration: 5 }
    const { task } = (await (await user.call('POST', '/videos/generate', order)).json()) as { task: { id: string } }
    await reaches(user, task.id, { status: 'Success', engine: 'videos_api' })

    const { rows } = await kinora.context.pool.query('select sealed from engine_setting')
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(KEY)

    expect((await call('DELETE', '/analytics/engines/videos-api')).status).toBe(204)
    expect(await board()).toMatchObject({ demo: true, engines: [] })
    expect((await call('DELETE', '/analytics/engines/videos-api')).status).toBe(404)
  })

  it('opens a hosted provider with a key', async () => {
    const key = { engine: 'hosted', variable: 'FAL_KEY', key: 'fal-secret' }
    expect((await call('PUT', '/analytics/engines', key)).status).toBe(204)
    expect((await board()).engines.map(({ name }) => name)).toEqual(['fal'])
    const unknown = await call('PUT', '/analytics/engines', { ...key, variable: 'SESSION_SECRET' })
    expect((await unknown.json()).code).toBe('engine_refused')
    expect((await call('DELETE', '/analytics/engines/fal')).status).toBe(204)
    expect((await board()).engines).toEqual([])
  })
})
