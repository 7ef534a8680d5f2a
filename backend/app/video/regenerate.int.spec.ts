import { mkdirSync, mkdtempSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reaches } from '#workflows/testing/userTasks.ts'
import {
  type DefinitionDouble,
  DOUBLE_KEY,
  startDefinitionDouble,
} from '../../providers/video/definitions/testing/definitionDouble.ts'
import { shippedDefinitions } from '../../providers/video/definitions/testing/shippedDefinitions.ts'
import type { Task } from '../../tasks/contract.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'
import { GENERATION, type TestUser } from '../../testing/testUser.ts'

const ORDER = { ...GENERATION, model: 'MiniMax-H3', resolution: '768P', duration: 4 }
const AGAIN = { ...ORDER, resolution: '2K' }
let double: DefinitionDouble
let kinora: TestKinora

beforeAll(async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-regenerate-'))
  const shipped = shippedDefinitions().find(({ name }) => name === 'minimax-v2')!
  double = await startDefinitionDouble({ ...shipped, rate: { ...shipped.rate, pollSeconds: 1 } })
  mkdirSync(path.join(dataDir, 'providers'))
  await writeFile(path.join(dataDir, 'providers/minimax-v2.json'), JSON.stringify(double.definition))
  const env = { DATA_DIR: dataDir, MINIMAX_API_KEY: DOUBLE_KEY, MINIMAX_BASE_URL: double.url, PAYMENTS: 'off' }
  kinora = await startTestKinora({ env: { ...env, MONTHLY_CREDITS: '1000' } })
})
afterAll(async () => {
  await kinora.close()
  await double.close()
})

const generate = async (user: TestUser, body: object) => {
  const answer = await user.call('POST', '/videos/generate', body)
  return { status: answer.status, body: (await answer.json()) as { task: Task; errors: { code: string }[] } }
}
const finished = async (user: TestUser): Promise<string> => {
  const { id } = (await generate(user, ORDER)).body.task
  await reaches(user, id, { status: 'Success' })
  return id
}

describe('a finished video', () => {
  it('is made again in 2K from its job, at the price of a 2K video', async () => {
    const user = await kinora.newUser()
    const source = await finished(user)
    const [job] = [...double.jobs.keys()].slice(-1)
    const { status, body } = await generate(user, { ...AGAIN, source_task_id: source })
    expect(status).toBe(202)
    await reaches(user, body.task.id, { status: 'Success', resolution: '2K', credits_consumed: 55 })
    expect([...double.jobs.values()].at(-1)!.sent).toEqual({
      ...{ model: 'MiniMax-H3', source_task_id: job, resolution: '2K' },
    })
    const called = double.received.filter(({ call }) => call === 'POST /v2/video_regeneration')
    expect(called).toHaveLength(1)
  })

  it('is made again only by its owner, with its settings, and in a resolution that the model can make', async () => {
    const [user, other] = [await kinora.newUser(), await kinora.newUser()]
    const source = await finished(user)
    const calls = double.received.length
    const refused = async (who: TestUser, body: object) => {
      const answer = await generate(who, { ...body, source_task_id: source })
      return [answer.status, answer.body.errors.map(({ code }) => code)]
    }
    expect(await refused(other, AGAIN)).toEqual([422, ['unknown_source']])
    expect(await refused(user, { ...AGAIN, duration: 5 })).toEqual([422, ['unknown_source']])
    expect(await refused(user, ORDER)).toEqual([422, ['source_not_for_model']])
    expect(double.received.slice(calls).filter(({ call }) => call.startsWith('POST'))).toEqual([])
  })
})
