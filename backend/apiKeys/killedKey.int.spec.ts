import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { verify } from '../audit/verify.ts'
import { eventually } from '../testing/eventually.ts'
import { FULL } from '../testing/fullRun.ts'
import { createKillable } from '../testing/killable.ts'
import { buyPlan, read } from '../testing/plans.ts'
import { registerUser } from '../testing/testUser.ts'
import type { ApiKey } from './contract.ts'

const KILLS = FULL ? 10 : 2
/** Orders at once, more than the plan has open. Every third is refused by the engine. */
const AT_ONCE = 6
const CREDITS = 30
const LIMIT = CREDITS * 2 * KILLS

const { random, start, readStored } = createKillable('key')

/** Orders a video until the server is there and the queue has room. Returns the last status. */
async function order(url: string, key: string, prompt: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  }
  const body = JSON.stringify({ model: 'MiniMax-Hailuo-02', prompt, seconds: 6, size: '1280x720' })
  for (;;) {
    const status = await fetch(`${url}/v1/videos`, { method: 'POST', headers, body }).then(
      (answer) => answer.status,
      () => 0,
    )
    if (status !== 0 && status < 500 && status !== 409 && status !== 429) return status
    await delay(300)
  }
}

it(`a key with a limit never passes it while Kinora is killed ${KILLS} times`, { timeout: 900_000 }, async () => {
  let program = await start()
  const { url } = program
  const user = await registerUser(url)
  await buyPlan(program, user, 'ultimate')
  const settings = { name: 'Script', scopes: ['videos:write'], credits_per_month: LIMIT, password: 'correct horse' }
  const { id, key } = (await (await user.call('POST', '/keys', settings)).json()) as ApiKey & { key: string }
  const orders = (round: number) =>
    Array.from({ length: AT_ONCE }, (_, n) => order(url, key, `Cat ${round} ${n}${n % 3 === 0 ? ' refused' : ''}`))
  const allEnded = () =>
    eventually(async () => {
      const { tasks } = await read<{ tasks: { status: string }[] }>(user, '/videos/tasks?per_page=100')
      expect(tasks.filter(({ status }) => !/Success|Fail/.test(status))).toEqual([])
    })

  const accepted: number[] = []
  for (let round = 0; round < KILLS; round++) {
    const sent = orders(round)
    await delay(random() * 1_500)
    await program.kill()
    program = await start(program)
    accepted.push(...(await Promise.all(sent)))
    await allEnded()
  }
  // The rest of the limit, by orders that compete for it.
  for (let round = KILLS, statuses = [200]; statuses.includes(200); round++) {
    statuses = await Promise.all(orders(round))
    accepted.push(...statuses)
    await allEnded()
  }
  expect(new Set(accepted)).toEqual(new Set([200, 402]))
  const { keys } = await read<{ keys: ApiKey[] }>(user, '/keys')
  let held = 0
  const { books, deviations } = await readStored(async ({ store }) => {
    for await (const { type } of store.readStream(`creditAccount-${user.userId}`)) if (type === 'CreditsHeld') held++
    // The audit compares each hold of a key with the limits of that moment.
    return verify(store)
  })
  expect(deviations).toEqual([])
  const book = books.get(`creditAccount-${user.userId}`)
  expect([book?.total('spent'), book?.sums().held]).toEqual([LIMIT, 0])
  const month = [...(book?.spentByKeys ?? [])].filter(([period]) => /^\S+ \d{4}-\d{2}$/.test(period))
  expect(month).toEqual([[`${id} ${month[0]?.[0].slice(-7)}`, LIMIT]])
  expect(keys).toMatchObject([{ id, spent_this_month: LIMIT }])
  // More was held than the limit, because refused videos gave their credits back.
  expect(held).toBeGreaterThan(LIMIT / CREDITS)
})
