import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { record } from '../table/record.ts'
import { cpuTime } from './cpuTime.ts'
import { quantile } from './quantile.ts'
import { connection } from './rawHttp.ts'
import { umamiIngest } from './umami.ts'

const CONNECTIONS = 16
const WARM_MS = 400
const RUN_MS = 1_000
/** Rounds alternate between Kinora and the lean server, so that load changes on the machine affect both. */
const ROUNDS = 20
/** Unmeasured warm-up rounds, during which the JIT compiles both servers. */
const COLD_ROUNDS = 3
/** Umami's recorded rate in views per second (16 connections, two cores), and its CPU time per view in milliseconds. */
const RECORDED_RATE = 185
const RECORDED_CPU_MS = 6.8
/** Rate of the lean server on the same machine, in views per second. */
const RECORDED_LEAN = 3_700

const viewOf = (session: string, n: number) =>
  JSON.stringify({
    path: `/clips/${n % 50}`,
    referrer: 'https://search.example/',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
    timestamp: '2026-01-01T00:00:00.000Z',
    session_id: session,
    event_type: 'page_view',
    status_code: 200,
  })

/**
 * Sends views over all connections, each view as soon as the previous one is accepted. Returns the number of views
 * accepted after the warm-up, and the duration in seconds.
 */
async function takenBy(url: string, path: string, onWarm = () => {}): Promise<{ views: number; seconds: number }> {
  let taken = 0
  let running = true
  const send = async (_: unknown, n: number) => {
    const through = await connection(url)
    for (let view = 0; running; view++) {
      // Each visitor views eight pages.
      const body = viewOf(`session-${n}-${Math.floor(view / 8)}-${performance.now()}`, view * CONNECTIONS + n)
      const answer = await through.ask('POST', path, { 'content-type': 'text/plain' }, body)
      if (answer.status !== 202) throw new Error(`${answer.status} ${answer.body}`)
      taken++
    }
    through.close()
  }
  const all = Promise.all(Array.from({ length: CONNECTIONS }, send))
  await delay(WARM_MS)
  onWarm()
  const [before, begun] = [taken, performance.now()]
  await delay(RUN_MS)
  const run = { views: taken - before, seconds: (performance.now() - begun) / 1000 }
  running = false
  await all
  return run
}

/** Starts the lean server with Kinora's database. */
async function startLean(database: pg.ClientConfig) {
  const entry = path.join(import.meta.dirname, 'leanServer.ts')
  const child = spawn(process.execPath, [entry, JSON.stringify(database)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [ready] = (await once(child.stdout, 'data')) as [Buffer]
  const stop = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { url: /ready (\S+)/.exec(String(ready))![1]!, stop }
}

/** Sends a different request about every 10 ms until the load ends. Returns the latencies in milliseconds. */
async function askBeside(url: string, ongoing: Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  const through = await connection(url)
  let over = false
  void ongoing.finally(() => {
    over = true
  })
  while (!over) {
    const begun = performance.now()
    await through.ask('GET', '/api/v1/subscriptions/plans')
    times.push(performance.now() - begun)
    await delay(10)
  }
  through.close()
  return times
}

/**
 * Measures the ingestion of visits while other requests are served.
 * @param pid process id of the server, whose child process is Postgres
 */
export async function measureIngest(url: string, pid: number, database: pg.ClientConfig): Promise<void> {
  const lean = await startLean(database)
  const rounds: { rate: number; cpu: number; ofLean: number; leanRate: number }[] = []
  const others: number[] = []
  for (let round = -COLD_ROUNDS; round < ROUNDS; round++) {
    let cpuBefore = 0
    const run = takenBy(url, '/api/v1/analytics/page-view', () => {
      cpuBefore = cpuTime(pid)
    })
    const asked = await askBeside(url, run)
    const { views, seconds } = await run
    const cpu = (cpuTime(pid) - cpuBefore) / views
    const theirs = await takenBy(lean.url, '/')
    const [rate, leanRate] = [views / seconds, theirs.views / theirs.seconds]
    if (round < 0) continue
    rounds.push({ rate, cpu, leanRate, ofLean: rate / leanRate })
    others.push(...asked)
  }
  await lean.stop()
  const of = (name: keyof (typeof rounds)[number], q = 0.5) =>
    quantile(
      rounds.map((each) => each[name]),
      q,
    )
  const measured = await umamiIngest(CONNECTIONS, RUN_MS * ROUNDS)
  const theirs = measured ?? RECORDED_RATE
  const source =
    measured === undefined ? 'as it was recorded on two cores; set UMAMI_URL to measure it here' : 'measured here'
  const rate = of('rate')
  record('page_views', rate / RECORDED_RATE)
  console.log(
    `taking visits in at ${CONNECTIONS} connections: ${Math.round(rate)} a second, each committed when it is answered; ` +
      `${(rate / theirs).toFixed(1)} times Umami's ${Math.round(theirs)} (${source})`,
  )
  console.log(`CPU of server and Postgres: ${of('cpu').toFixed(3)} ms a view (Umami's: ${RECORDED_CPU_MS}, recorded)`)
  const ofLean = of('ofLean')
  console.log(
    `a server that only inserts one row for each takes ${Math.round(of('leanRate'))} a second here: ours is ` +
      `${ofLean.toFixed(2)} of that (half of ${ROUNDS} rounds between ${of('ofLean', 0.25).toFixed(2)} and ` +
      `${of('ofLean', 0.75).toFixed(2)}), Umami's was ` +
      `${(RECORDED_RATE / RECORDED_LEAN).toFixed(2)} of ${RECORDED_LEAN}; by that measure ` +
      `${(ofLean * (RECORDED_LEAN / RECORDED_RATE)).toFixed(1)} times Umami's`,
  )
  console.log(
    `another call during the load: median ${quantile(others, 0.5).toFixed(1)} ms, p99 ${quantile(others, 0.99).toFixed(1)} ms`,
  )
}
