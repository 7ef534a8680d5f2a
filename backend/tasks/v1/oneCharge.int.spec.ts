import { once } from 'node:events'
import net from 'node:net'
import OpenAI from 'openai'
import { expect, it, onTestFinished } from 'vitest'
import { verify } from '../../audit/verify.ts'
import { createProviderDouble } from '../../providers/video/testing/providerDouble.ts'
import { eventually } from '../../testing/eventually.ts'
import { FULL, SEED } from '../../testing/fullRun.ts'
import { buyPlan } from '../../testing/plans.ts'
import { seeded } from '../../testing/seeded.ts'
import { startTestKinora } from '../../testing/testKinora.ts'

const CREATES = FULL ? 200 : 12
/** Videos of the largest plan that may be open at once. */
const AT_ONCE = 4
const CREDITS = 30

/** What becomes of a connection: it is cut before the order arrives whole, while it is worked on, or in its answer. */
type Fate = 'kept' | 'cut in the request' | 'cut before the answer' | 'cut in the answer'

/** A proxy that cuts connections. Every connection brings one request. */
async function startCuttingProxy(port: number, fateOf: () => Fate) {
  const fates: Fate[] = []
  const server = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1')
    const fate = fateOf()
    fates.push(fate)
    const cut = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) socket.on('error', cut).on('close', cut)
    near.on('data', (chunk) => {
      if (fate !== 'cut in the request') return void far.write(chunk)
      far.write(chunk.subarray(0, chunk.length / 2))
      // The server has the beginning when its client goes away.
      setImmediate(cut)
    })
    far.on('data', (chunk) => {
      if (fate === 'cut before the answer') return cut()
      near.write(fate === 'cut in the answer' ? chunk.subarray(0, 40) : chunk)
      if (fate === 'cut in the answer') cut()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { fates, port: (server.address() as net.AddressInfo).port }
}

it(`${CREATES} creates of the official client through a network that loses answers are one video and one charge each`, {
  timeout: 900_000,
}, async () => {
  const kinora = await startTestKinora({ provider: await createProviderDouble() })
  onTestFinished(() => kinora.close())
  const user = await kinora.newUser()
  await buyPlan(kinora, user, 'ultimate')
  const order = { name: 'Client', scopes: ['videos:write', 'videos:read'], password: 'correct horse' }
  const { key } = (await (await user.call('POST', '/keys', order)).json()) as { key: string }
  const random = seeded(SEED)
  const fateOf = (): Fate => {
    const draw = random()
    return draw < 0.5
      ? 'kept'
      : draw < 0.6
        ? 'cut in the request'
        : draw < 0.8
          ? 'cut before the answer'
          : 'cut in the answer'
  }
  const proxy = await startCuttingProxy(Number(new URL(kinora.url).port), fateOf)
  const single: typeof fetch = (url, init) =>
    fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), connection: 'close' } })
  const client = new OpenAI({
    apiKey: key,
    baseURL: `http://127.0.0.1:${proxy.port}/v1`,
    maxRetries: 40,
    fetch: single,
  })
  const tasks = async () => {
    const answer = await user.call('GET', '/videos/tasks?per_page=100&page=1')
    return (await answer.json()) as { total: number; tasks: { status: string }[] }
  }

  const made: string[] = []
  for (let n = 0; n < CREATES; n += AT_ONCE) {
    const orders = Array.from({ length: AT_ONCE }, (_, m) =>
      client.videos.create({ model: 'MiniMax-Hailuo-02' as never, prompt: `Cat ${n + m}`, seconds: '6' as never }),
    )
    made.push(...(await Promise.all(orders)).map(({ id }) => id))
    await eventually(async () => expect((await tasks()).tasks.every(({ status }) => status === 'Success')).toBe(true))
  }

  expect(new Set(made).size).toBe(CREATES)
  expect((await tasks()).total).toBe(CREATES)
  const { books, deviations } = await verify(kinora.context.store)
  expect(deviations).toEqual([])
  const book = books.get(`creditAccount-${user.userId}`)
  expect([book?.total('spent'), book?.sums().held]).toEqual([CREATES * CREDITS, 0])
  // The network has lost answers of each kind.
  expect(new Set(proxy.fates).size).toBe(4)
})
