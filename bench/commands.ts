import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createCredits } from '#backend/credits/credits.ts'
import { bySystem } from '#backend/kernel/eventsourcing/command.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { parseModel } from '#backend/tasks/catalogue/catalogue.ts'
import type { Generation } from '#backend/tasks/contract.ts'
import { submitTask } from '#backend/tasks/tasks.ts'
import { compareRates } from './ratios/compareRates.ts'
import { startDurableDatabase } from './ratios/durableDatabase.ts'
import { RESERVE_SQL } from './ratios/reserve.sql.ts'
import { record } from './table/record.ts'

/**
 * Compares the commands of a video with SQL functions that change a balance and insert a reservation and a job:
 * `npm run bench -- commands`. Ours also decides, hashes and chains events, and asks for a render slot. Every commit is
 * flushed to disk.
 */
const CLIENTS = [16, 64]
const USERS = 1_000
const AMOUNT = 30

const MODEL = parseModel(JSON.parse(readFileSync('content/models/MiniMax-Hailuo-02.json', 'utf8')))
const generation: Generation = {
  ...{ task_type: 'text_to_video', model: MODEL.id, prompt: 'A lake at dawn', duration: 6, resolution: '768P' },
  ...{ camera_movements: [], prompt_optimizer: true },
}

const database = await startDurableDatabase()
const peer = database.connect(64)
await peer.query(RESERVE_SQL)
const handle = createHandle(database.store)
const credits = createCredits(handle)
const deps = {
  ...{ handle, credits, clock: Date.now, catalogue: { offered: () => [MODEL] } },
  allowance: async () => ({ openTasks: 1_000_000, priority: 1, fullHd: true }),
  encrypt: async (_: object, text: string) => text,
}

/** Creates users with enough credits, here and at the peer. New ones for each figure keep open holds few. */
async function newUsers(count: number): Promise<readonly string[]> {
  const users = Array.from({ length: count }, () => randomUUID())
  await Promise.all(users.map((userId) => credits.grantFreeCredits(userId, 1_000_000_000)))
  await peer.query('insert into balance select unnest($1::uuid[]), 1000000000, 0', [users])
  return users
}

const reserve = (userId: string, taskId: string, body: object | null) =>
  peer.query({ name: 'reserve', text: 'select reserve($1, $2, $3, $4)', values: [taskId, userId, AMOUNT, body] })

for (const clients of CLIENTS) {
  const users = await newUsers(USERS)
  const any = () => users[Math.floor(Math.random() * USERS)]!
  const generate = () => {
    const taskId = uuid7()
    const task = { taskId, userId: any(), generation, images: { firstFrame: null } }
    return submitTask(deps, task, bySystem('generate', taskId))
  }
  const inSql = () => reserve(any(), uuid7(), generation)
  record(`generate_${clients}`, await compareRates('generate', clients, { work: generate }, { work: inSql }))
}

for (const clients of CLIENTS) {
  const [userId] = (await newUsers(1)) as [string]
  const holdAndCapture = async () => {
    const taskId = uuid7()
    await credits.hold({ userId, taskId, amount: AMOUNT, openLimit: 1_000 }, bySystem('hold', taskId))
    await credits.capture(userId, taskId)
  }
  const inSql = async () => {
    const taskId = uuid7()
    await reserve(userId, taskId, null)
    await peer.query({ name: 'settle', text: 'select settle($1)', values: [taskId] })
  }
  record(
    `hot_account_${clients}`,
    await compareRates('hold and capture on one account', clients, { work: holdAndCapture }, { work: inSql }),
  )
}
await database.store.close()
await database.close()
