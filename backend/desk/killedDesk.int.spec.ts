import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { verify } from '../audit/verify.ts'
import { FULL } from '../testing/fullRun.ts'
import { createKillable } from '../testing/killable.ts'
import { buyPlan, read, readStats, soon } from '../testing/plans.ts'
import { registerUser, visitor } from '../testing/testUser.ts'
import type { DeskAction } from './contract.ts'

const KILLS = FULL ? 12 : 2
const OPERATOR = { username: 'olga', password: 'a password for olga' }
/** Cents of each refund; there are as many as kills. */
const REFUND = 100

const VIDEO = {
  task_type: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  resolution: '768P',
  duration: 6,
  prompt: 'A cat',
}

const { random, start, readStored } = createKillable('desk', {
  OPERATOR_USERNAME: OPERATOR.username,
  OPERATOR_PASSWORD: OPERATOR.password,
})

it(`makes each grant, refund, suspension and release once while Kinora is killed ${KILLS} times`, {
  timeout: 900_000,
}, async () => {
  let program = await start()
  const { url } = program
  const user = await registerUser(url)
  await buyPlan(program, user, 'pro')
  const before = (await readStats(user)).remaining_credits
  const { invoices } = await read<{ invoices: { payment: string }[] }>(user, '/subscriptions/invoices')
  const signedIn = await visitor(url).post('/analytics/login', OPERATOR)
  const headers = { cookie: signedIn.headers.getSetCookie()[0]!.split(';')[0]!, 'content-type': 'application/json' }

  /** Orders an action until the server answers. Two operators send each order. */
  async function order(body: object): Promise<DeskAction> {
    const id = crypto.randomUUID()
    const send = async (): Promise<DeskAction> => {
      for (;;) {
        const init = { method: 'POST', headers, body: JSON.stringify({ id, reason: 'a remedy', ...body }) }
        const answer = await fetch(`${url}/api/v1/desk/actions`, init).catch(() => undefined)
        if (answer?.status === 201) return ((await answer.json()) as { action: DeskAction }).action
        if (answer && answer.status < 500 && answer.status !== 429)
          throw new Error(`${answer.status} ${await answer.text()}`)
        await delay(200)
      }
    }
    return (await Promise.all([send(), send()]))[0]
  }

  const maker = await registerUser(url)
  const releases: Promise<DeskAction>[] = []
  for (let round = 0; round < KILLS; round++) {
    const { userId: subject } = user
    const made = await maker.call('POST', '/videos/generate', VIDEO)
    if (made.status === 202) {
      const { task } = (await made.json()) as { task: { id: string } }
      releases.push(order({ kind: 'release_task', subject: task.id }))
    }
    const sent = [
      order({ kind: 'grant', subject, amount: 7 }),
      order({ kind: 'take', subject, amount: 2 }),
      order({ kind: 'refund', subject: invoices[0]!.payment, amount: REFUND }),
      order({ kind: round % 2 === 0 ? 'suspend' : 'restore', subject }),
    ]
    await delay(random() * 400)
    await program.kill()
    program = await start(program)
    await Promise.all([...sent, ...releases])
  }
  const list = async () => {
    const answer = await fetch(`${url}/api/v1/desk/actions?per_page=100`, { headers })
    return (await answer.json()) as { actions: DeskAction[]; total: number }
  }
  await soon(async () => {
    const { actions, total } = await list()
    const others = actions.filter(({ kind }) => kind !== 'release_task')
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['done']))
    expect(total).toBe(4 * KILLS + releases.length)
    expect(actions.filter(({ status }) => status === 'asked')).toEqual([])
  })
  // A video that was finished first is charged instead.
  expect(releases.length).toBeGreaterThan(0)
  const released = (await list()).actions.filter(
    ({ kind, status }) => kind === 'release_task' && status === 'done',
  ).length
  await soon(async () => {
    const { tasks } = await read<{ tasks: { status: string; credits_consumed: number }[] }>(maker, '/videos/tasks')
    const charged = tasks.reduce((sum, { credits_consumed }) => sum + credits_consumed, 0)
    expect(tasks.filter(({ status }) => status !== 'Success' && status !== 'Fail')).toEqual([])
    expect((await readStats(maker)).remaining_credits).toBe(60 - charged)
  })
  const subjects = (await visitor(url).mails(user.email)).map(({ subject }) => subject)
  const count = (text: RegExp) => subjects.filter((subject) => text.test(subject)).length
  await soon(async () => expect([count(/is suspended/), count(/is restored/)]).toEqual([KILLS / 2, KILLS / 2]))

  const { books, desk, deviations, refunds } = await readStored(async ({ pool, store }) => ({
    ...(await verify(store)),
    refunds: (await pool.query(`select from event where type = 'SubscriptionSaleReversed'`)).rowCount,
  }))
  expect([deviations, desk]).toMatchObject([
    [],
    { grant: KILLS, take: KILLS, refund: KILLS, release_task: released, retry_task: 0, signed: 0 },
  ])
  expect(refunds).toBe(KILLS)
  // Credits of a refund are claimed in proportion to all that was taken back so far.
  const claimed = before + 5 * KILLS - books.get(`creditAccount-${user.userId}`)!.sums().left
  expect(claimed).toBeGreaterThan(0)
})
