import { randomUUID } from 'node:crypto'
import { bySystem } from '#backend/kernel/eventsourcing/command.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { compareRates } from './ratios/compareRates.ts'
import { startDurableDatabase } from './ratios/durableDatabase.ts'
import { RESERVE_SQL } from './ratios/reserve.sql.ts'
import { BENCH_GENERATION, createVideoCommands } from './ratios/videoCommands.ts'
import { record } from './table/record.ts'

/**
 * Compares the commands of a video with SQL functions that change a balance and insert a reservation and a job:
 * `npm run bench -- commands`. Ours also decides, hashes and chains events, and asks for a render slot. Every commit is
 * flushed to disk.
 */
const CLIENTS = [16, 64]
const USERS = 1_000
const AMOUNT = 30

const database = await startDurableDatabase()
const peer = database.connect(64)
await peer.query(RESERVE_SQL)
const { credits, generate: submit } = createVideoCommands(database.store)

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
  const generate = () => submit(any())
  const inSql = () => reserve(any(), uuid7(), BENCH_GENERATION)
  record(`generate_${clients}`, await compareRates('generate', clients, { work: generate }, { work: inSql }))
}

for (const clients of CLIENTS) {
  const [userId] = (await newUsers(1)) as [string]
  const holdAndCapture = async () => {
    const taskId = uuid7()
    await credits.hold({ userId, taskId, amount: AMOUNT, openLimit: 1_000 }, bySystem('hold', taskId)).send()
    await credits.capture(userId, taskId).send()
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
