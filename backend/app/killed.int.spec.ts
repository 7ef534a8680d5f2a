import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { probeMp4 } from '../kernel/media/probeMp4.ts'
import { submit } from '../testing/creator.ts'
import { FULL } from '../testing/fullRun.ts'
import { createKillable } from '../testing/killable.ts'
import { rebuildAll } from '../testing/rebuildAll.ts'
import { replayLedger } from '../testing/replayLedger.ts'
import { registerUser, type TestUser } from '../testing/testUser.ts'

const KILLS = FULL ? 10 : 2
const USERS_PER_ROUND = FULL ? 1 : 2
const { folder, random, start, readStored } = createKillable('被杀', { ENGINE: FULL ? 'demo' : 'double' })

type Task = { id: string; status: string; credits_consumed: number }
const tasksOf = async (user: TestUser) =>
  ((await (await user.call('GET', '/videos/tasks?per_page=100')).json()) as { tasks: Task[] }).tasks

describe(`Kinora, killed ${KILLS} times while tasks run`, () => {
  it('ends every task, settles every hold, charges once, and serves only complete files', {
    timeout: 900_000,
  }, async () => {
    let program = await start()
    const users: TestUser[] = []
    const asked: Promise<string>[] = []
    for (let round = 0; round < KILLS; round++) {
      for (let n = 0; n < USERS_PER_ROUND; n++) {
        const user = await registerUser(program.url, `killed-${round}-${n}@kinora.test`)
        users.push(user)
        asked.push(submit(user, 'one'), submit(user, 'another'))
      }
      await delay(random() * (FULL ? 15_000 : 1_500))
      await program.kill()
      program = await start(program)
    }
    const accepted = await Promise.all(asked)
    expect(new Set(accepted).size).toBe(2 * users.length)

    const open = async () =>
      (await Promise.all(users.map(tasksOf))).flat().filter(({ status }) => !/Success|Fail/.test(status))
    while ((await open()).length > 0) await delay(FULL ? 2_000 : 200)

    for (const user of users) {
      const tasks = await tasksOf(user)
      expect(tasks).toHaveLength(2)
      const spent = tasks.reduce((sum, task) => sum + (task.status === 'Success' ? 30 : 0), 0)
      expect(tasks.reduce((sum, task) => sum + task.credits_consumed, 0)).toBe(spent)
      await expect
        .poll(async () => (await user.call('GET', '/subscriptions/stats')).json())
        .toMatchObject({
          remaining_credits: 60 - spent,
          used_credits: spent,
        })
      for (const { id, status } of tasks) {
        const video = await user.call('GET', `/videos/preview/${id}`)
        expect(video.status).toBe(status === 'Success' ? 200 : 404)
        if (status !== 'Success') continue
        const file = path.join(folder, 'served.mp4')
        await writeFile(file, Buffer.from(await video.arrayBuffer()))
        expect((await probeMp4(file)).frames).toBeGreaterThan(0)
      }
    }
    await expectSoundLog(users.length)
  })
})

/**
 * Expects that the log is consistent: the hash chain of every account is complete, granted = left + captured, and no credits
 * are held. Every read model equals its rebuild byte for byte.
 */
async function expectSoundLog(accounts: number): Promise<void> {
  const { ledger, models } = await readStored(async ({ connection, pool }) => ({
    ledger: await replayLedger(pool),
    models: await rebuildAll(connection, pool),
  }))
  for (const { live, rebuilt } of models) expect(rebuilt).toEqual(live)
  expect(models.find(({ name }) => name === 'creditBalances')?.live).toHaveLength(accounts)
  expect(ledger).toHaveLength(accounts)
  for (const { granted, left, held, captured, chained } of ledger)
    expect({ granted, held, sum: left + captured, chained }).toEqual({ granted: 60, held: 0, sum: 60, chained: true })
}
