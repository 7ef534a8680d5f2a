import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startProgram } from '#backend/testing/program.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { GENERATION, registerUser, type TestUser } from '#backend/testing/testUser.ts'
import { cpuTime } from './analytics/cpuTime.ts'
import { quantile } from './analytics/quantile.ts'
import { connection } from './analytics/rawHttp.ts'
import { record } from './table/record.ts'

/**
 * Measures the CPU time of reads in Kinora and PostgreSQL together: `npm run bench -- reads [users]`. Each user has a
 * session, an account with its free credits, a page of works, and one request at a time.
 */
const count = Number(process.argv[2] ?? 48)
/** Works of each user. */
const WORKS = 8
/** A user may make 1,200 calls a minute. */
const READS_EACH = 75
const ROUNDS = 4
const READS = [
  ['reads_works', '/videos/tasks'],
  ['reads_history', '/credits/history'],
  ['reads_stats', '/subscriptions/stats'],
] as const

const db = await startTemporaryDatabase()
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bench-'))
// At the default rates, a user's reads wait, and the CPU time of the waiting process would count.
const rates = { SESSION_RATE: '1000000', NETWORK_RATE: '1000000' }
const program = await startProgram(
  { PORT: '0', DATA_DIR: folder, DATABASE_URL: db.url, ...rates },
  path.join(import.meta.dirname, 'http/endlessProgram.ts'),
)

/** Orders videos and cancels them. */
async function makeWorks(user: TestUser): Promise<void> {
  for (let n = 0; n < WORKS; n++) {
    const answer = await user.call('POST', '/videos/generate', GENERATION)
    const { task } = (await answer.json()) as { task: { id: string } }
    await user.call('POST', `/videos/tasks/${task.id}/cancel`)
  }
}

const cookies: string[] = []
for (let n = 0; n < count; n++) {
  const user = await registerUser(program.url)
  await makeWorks(user)
  cookies.push(user.cookie)
}

const cpu = () => cpuTime(program.pid) + cpuTime(db.postgres.server.pid)

/** Returns the reads per second of CPU time. */
async function measure(address: string): Promise<number> {
  const before = cpu()
  const read = async (cookie: string) => {
    const through = await connection(program.url)
    for (let n = 0; n < READS_EACH; n++) {
      const { status, body } = await through.ask('GET', `/api/v1${address}`, { cookie })
      if (status !== 200) throw new Error(`${address}: ${status} ${body}`)
    }
    through.close()
  }
  await Promise.all(cookies.map(read))
  return (count * READS_EACH) / ((cpu() - before) / 1_000)
}

const rounds: number[][] = []
for (let round = 0; round <= ROUNDS; round++) {
  const rates: number[] = []
  for (const [, address] of READS) rates.push(await measure(address))
  // The JIT compiles the server in the first round.
  if (round > 0) rounds.push(rates)
}
for (const [n, [id, address]] of READS.entries()) {
  const rate = quantile(
    rounds.map((rates) => rates[n]!),
    0.5,
  )
  console.log(`GET ${address}: ${Math.round(rate)} per second of CPU time`)
  record(id, rate)
}
await program.stop()
await db.close()
rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
