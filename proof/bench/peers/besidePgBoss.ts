import { randomUUID } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { cpuTime } from '../analytics/cpuTime.ts'
import { compareSides } from '../ratios/compareRates.ts'
import { startDurableDatabase } from '../ratios/durableDatabase.ts'
import { RESERVE_SQL } from '../ratios/reserve.sql.ts'
import { BENCH_GENERATION, createVideoCommands } from '../ratios/videoCommands.ts'
import { type PeerRow, peerRow } from './report.ts'

const CLIENTS = [16, 64]
const USERS = 1_000
const QUEUE = 'videos'
/** Connections of each side. */
const CONNECTIONS = 10

/**
 * Compares a paid video that is put into the queue: ours holds the credits, records the task and asks for a render slot in
 * one append. The peer reserves the credits in one SQL function and sends a job, in one transaction, as a program would do
 * that uses pg-boss; and sends the job alone.
 */
export async function besidePgBoss(): Promise<PeerRow[]> {
  const database = await startDurableDatabase()
  const pool = database.connect(CONNECTIONS)
  await pool.query(RESERVE_SQL)
  const boss = new PgBoss({ connectionString: database.url, max: CONNECTIONS, supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue(QUEUE)
  const { credits, generate } = createVideoCommands(database.store)
  const users = Array.from({ length: USERS }, () => randomUUID())
  await Promise.all(users.map((userId) => credits.grantFreeCredits(userId, 1_000_000_000)))
  await pool.query('insert into balance select unnest($1::uuid[]), 1000000000, 0', [users])
  const any = () => users[Math.floor(Math.random() * USERS)]!
  const cpu = () => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000 + cpuTime(database.pid)

  const reserveAndSend = async () => {
    const client = await pool.connect()
    const executeSql = (text: string, values?: unknown[]) => client.query(text, values)
    await client.query('begin')
    const values = [uuid7(), any(), 30, null]
    await client.query({ name: 'reserve', text: 'select reserve($1, $2, $3, $4)', values })
    await boss.send(QUEUE, BENCH_GENERATION, { db: { executeSql } })
    await client.query('commit')
    client.release()
  }
  const peers = {
    'reserve in SQL and send of pg-boss': reserveAndSend,
    'send of pg-boss alone': () => boss.send(QUEUE, BENCH_GENERATION),
  }
  const rows: PeerRow[] = []
  for (const clients of CLIENTS)
    for (const [peer, work] of Object.entries(peers)) {
      const ours = { work: () => generate(any()), cpu }
      const found = await compareSides(`queue a paid video beside ${peer}`, clients, ours, { work, cpu })
      rows.push(peerRow('queue a paid video', peer, clients, found))
    }
  await boss.stop({ graceful: false })
  await database.store.close()
  await database.close()
  return rows
}
