import { afterAll, beforeAll, expect, it } from 'vitest'
import { generate, reaches } from '#workflows/testing/userTasks.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { FULL } from '../../testing/fullRun.ts'
import { startTestKinora, type TestKinora } from '../../testing/testKinora.ts'

const DOWNLOADS = FULL ? 25 : 8

let kinora: TestKinora
beforeAll(async () => {
  kinora = await startTestKinora({ provider: await createProviderDouble() })
})
afterAll(() => kinora.close())

/** The series of Kinora's own metrics; those of Node vary with the garbage collector. */
const series = async () => {
  const text = await (await fetch(`${kinora.url}/metrics`)).text()
  return text.split('\n').flatMap((line) => (line.startsWith('kinora_') ? [line.slice(0, line.lastIndexOf(' '))] : []))
}

it('keeps the number of metric series constant after N downloads', async () => {
  const user = await kinora.newUser()
  await kinora.services.credits.grantSale(user.userId, { saleId: 'sale', amount: 1_000, source: 'payment' })
  const makeAndDownload = async () => {
    const { id } = await generate(user)
    await reaches(user, id, { status: 'Success' })
    const answer = await user.call('GET', `/videos/download/${id}`)
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
    return id
  }
  await makeAndDownload()
  const has = (activity: string, outcome = 'ok') =>
    expect.poll(series).toContain(`kinora_activity_seconds_count{activity="${activity}",outcome="${outcome}"}`)
  await has('sweepHolds')
  await has('store', 'settled')
  const afterOne = await series()
  const ids: string[] = []
  for (let download = 2; download <= DOWNLOADS; download++) ids.push(await makeAndDownload())
  await expect.poll(series).toHaveLength(afterOne.length)
  const text = (await series()).join('\n')
  for (const id of ids) expect(text).not.toContain(id)
  expect(text).not.toContain(kinora.dataDir)
})
