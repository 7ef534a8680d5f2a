import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '#backend/testing/freePort.ts'
import { type Program, startProgram } from '#backend/testing/program.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { GENERATION, registerUser, type TestUser } from '#backend/testing/testUser.ts'
import { cpuTime } from './analytics/cpuTime.ts'
import { quantile } from './analytics/quantile.ts'
import { connection } from './analytics/rawHttp.ts'
import { record } from './table/record.ts'

/**
 * Measures the CPU time of reads in Kinora and PostgreSQL together: `npm run bench -- reads [users] [--two]`. Each user has a
 * session, an account with its free credits, a page of works, and one request at a time. With `--two`, compares two
 * processes of the API, which take the requests of each user in turn, with one of them; the other roles have a process too.
 */
const { values, positionals } = parseArgs({
  options: { two: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const count = Number(positionals[0] ?? 48)
/** Works of each user. */
const WORKS = 8
/** A user may make 1,200 calls a minute, and the rounds together make fewer. */
const READS_EACH = values.two ? 24 : 75
const ROUNDS = values.two ? 6 : 4
/** Rounds in which the JIT compiles the servers. */
const WARM_UP = values.two ? 2 : 1
const READS = [
  ['reads_works', '/videos/tasks'],
  ['reads_history', '/credits/history'],
  ['reads_stats', '/subscriptions/stats'],
] as const

const db = await startTemporaryDatabase()
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bench-'))
const address = `http://127.0.0.1:${await freePort()}`
const shared = {
  ...{ DATA_DIR: folder, DATABASE_URL: db.url, PUBLIC_URL: address },
  ...{ SESSION_SECRET: 's'.repeat(32), ENCRYPTION_KEY: 'ab'.repeat(32), OPERATOR_PASSWORD: 'a long password' },
  // At the default rates, a user's reads wait, and the CPU time of the waiting process would count.
  ...{ SESSION_RATE: '1000000', NETWORK_RATE: '1000000' },
}
const layout = values.two ? ['api', 'api', 'projections,workflows'] : ['api,projections,workflows']
const programs: Program[] = []
for (const [n, roles] of layout.entries())
  programs.push(
    await startProgram(
      { ...shared, ROLES: roles, PORT: n === 0 ? new URL(address).port : '0' },
      path.join(import.meta.dirname, 'http/endlessProgram.ts'),
    ),
  )
const urls = programs.map(({ url }) => url)

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
  const user = await registerUser(address)
  await makeWorks(user)
  cookies.push(user.cookie)
}

const cpu = () => [...programs, db.postgres.server].reduce((sum, { pid }) => sum + cpuTime(pid), 0)

/** Returns the reads per second of CPU time, through these processes in turn. */
async function measure(route: string, through: readonly string[]): Promise<number> {
  const before = cpu()
  const read = async (cookie: string) => {
    const open = await Promise.all(through.map(connection))
    for (let n = 0; n < READS_EACH; n++) {
      const { status, body } = await open[n % open.length]!.ask('GET', `/api/v1${route}`, { cookie })
      if (status !== 200) throw new Error(`${route}: ${status} ${body}`)
    }
    for (const one of open) one.close()
  }
  await Promise.all(cookies.map(read))
  return (count * READS_EACH) / ((cpu() - before) / 1_000)
}

const rounds: { one: number; two: number }[][] = []
for (let round = 0; round < ROUNDS + WARM_UP; round++) {
  const rates: { one: number; two: number }[] = []
  for (const [, route] of READS) {
    // Each of the two in turn, so that both have run as long.
    const one = await measure(route, [urls[values.two ? round % 2 : 0]!])
    rates.push({ one, two: values.two ? await measure(route, urls.slice(0, 2)) : one })
  }
  if (round >= WARM_UP) rounds.push(rates)
}
const median = (of: (rates: { one: number; two: number }[]) => number) => quantile(rounds.map(of), 0.5)
for (const [n, [id, route]] of READS.entries()) {
  const rate = median((rates) => rates[n]!.one)
  console.log(`GET ${route}: ${Math.round(rate)} per second of CPU time`)
  if (values.two)
    console.log(
      `  CPU of a read with two API processes ÷ with one: ${median((rates) => rates[n]!.one / rates[n]!.two).toFixed(2)}`,
    )
  else record(id, rate)
}
await Promise.all(programs.map((program) => program.stop()))
await db.close()
rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
