import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { cpuTime } from './cpuTime.ts'
import { quantile } from './quantile.ts'
import { connection } from './rawHttp.ts'
import { umamiIngest } from './umami.ts'

const CONNECTIONS = 16
const WARM_MS = 3_000
const RUN_MS = 15_000
/** Views a second that Umami took in at 16 connections on two cores, and its CPU for each. */
const RECORDED_RATE = 185
const RECORDED_CPU_MS = 6.8
/** What a lean insert of one row took in there. */
const RECORDED_LEAN = 3_700

const record = (session: string, n: number) =>
  JSON.stringify({
    path: `/clips/${n % 50}`,
    referrer: 'https://search.example/',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
    timestamp: '2026-01-01T00:00:00.000Z',
    session_id: session,
    event_type: 'page_view',
    status_code: 200,
  })

/** Sends views to a server from all connections, each as fast as it is answered, until told to stop. */
function sendViews(url: string, path: string) {
  let taken = 0
  let running = true
  const send = async (_: unknown, n: number) => {
    const through = await connection(url)
    for (let view = 0; running; view++) {
      // A new visitor every eight pages.
      const body = record(`session-${n}-${Math.floor(view / 8)}`, view * CONNECTIONS + n)
      const answer = await through.ask('POST', path, { 'content-type': 'text/plain' }, body)
      if (answer.status !== 202) throw new Error(`${answer.status} ${answer.body}`)
      taken++
    }
    through.close()
  }
  const all = Promise.all(Array.from({ length: CONNECTIONS }, send))
  return {
    taken: () => taken,
    async stop() {
      running = false
      await all
    },
  }
}

/** Views a second that a server takes in which does nothing but insert one row for each, on the same database. */
async function leanRate(database: pg.ClientConfig): Promise<number> {
  const entry = path.join(import.meta.dirname, 'leanServer.ts')
  const child = spawn(process.execPath, [entry, JSON.stringify(database)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [ready] = (await once(child.stdout, 'data')) as [Buffer]
  const sending = sendViews(/ready (\S+)/.exec(String(ready))![1]!, '/')
  await delay(WARM_MS)
  const [before, begun] = [sending.taken(), performance.now()]
  await delay(RUN_MS)
  const rate = (sending.taken() - before) / ((performance.now() - begun) / 1000)
  await sending.stop()
  child.kill()
  await once(child, 'exit')
  return rate
}

/**
 * Takes visits in as fast as they are answered, and asks another call meanwhile. `pid`: the server, with Postgres below it;
 * `database`: the same Postgres.
 */
export async function measureIngest(url: string, pid: number, database: pg.ClientConfig): Promise<void> {
  let running = true
  const sending = sendViews(url, '/api/v1/analytics/page-view')
  const others: number[] = []
  const askOthers = async () => {
    const through = await connection(url)
    while (running) {
      const begun = performance.now()
      await through.ask('GET', '/api/v1/subscriptions/plans')
      others.push(performance.now() - begun)
      await delay(10)
    }
    through.close()
  }
  const asking = askOthers()
  await delay(WARM_MS)
  const [takenBefore, cpuBefore, begun] = [sending.taken(), cpuTime(pid), performance.now()]
  others.length = 0
  await delay(RUN_MS)
  const seconds = (performance.now() - begun) / 1000
  const views = sending.taken() - takenBefore
  const cpu = (cpuTime(pid) - cpuBefore) / views
  running = false
  await Promise.all([asking, sending.stop()])
  const lean = await leanRate(database)
  const measured = await umamiIngest(CONNECTIONS, RUN_MS)
  const theirs = measured ?? RECORDED_RATE
  const source =
    measured === undefined ? 'as it was recorded on two cores; set UMAMI_URL to measure it here' : 'measured here'
  const rate = views / seconds
  console.log(
    `taking visits in at ${CONNECTIONS} connections: ${Math.round(rate)} a second, each committed when it is answered; ` +
      `${(rate / theirs).toFixed(1)} times Umami's ${Math.round(theirs)} (${source})`,
  )
  console.log(`CPU of server and Postgres: ${cpu.toFixed(3)} ms a view (Umami's: ${RECORDED_CPU_MS}, recorded)`)
  console.log(
    `a server that only inserts one row for each takes ${Math.round(lean)} a second here: ours is ${(rate / lean).toFixed(2)} of ` +
      `that, Umami's was ${(RECORDED_RATE / RECORDED_LEAN).toFixed(2)} of ${RECORDED_LEAN}; by that measure ` +
      `${((rate / lean) * (RECORDED_LEAN / RECORDED_RATE)).toFixed(1)} times Umami's`,
  )
  console.log(
    `another call meanwhile: median ${quantile(others, 0.5).toFixed(1)} ms, p99 ${quantile(others, 0.99).toFixed(1)} ms`,
  )
}
