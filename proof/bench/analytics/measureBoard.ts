import { quantile } from './quantile.ts'
import { type Connection, connection } from './rawHttp.ts'
import { umamiBoard } from './umami.ts'

const BOARD = ['/overview', '/weekly', '/hourly', '/users/overview', '/users/list?page=1&per_page=10']
const BESIDE = ['/pages', '/live', '/tasks', '/margin', '/actions']
const ROUNDS = 300
/** Recorded time to load Umami's dashboard with a million views on two cores, ms. */
const RECORDED_MS = 490

/** Measures each API call of the dashboard alone, and the five calls that the page sends in parallel. */
export async function measureBoard(url: string, password: string): Promise<void> {
  const login = await fetch(`${url}/api/v1/analytics/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password }),
  })
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
  const five = await Promise.all(BOARD.map(() => connection(url)))
  const ask = async (through: Connection, call: string) => {
    const begun = performance.now()
    const { status, body } = await through.ask('GET', `/api/v1/analytics${call}`, { cookie })
    if (status !== 200) throw new Error(`${call}: ${status} ${body}`)
    return performance.now() - begun
  }
  for (const call of [...BOARD, ...BESIDE]) {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) times.push(await ask(five[0]!, call))
    const [half, most] = [quantile(times, 0.5), quantile(times, 0.95)].map((ms) => ms.toFixed(2))
    console.log(`${call.padEnd(32)} median ${half} ms, p95 ${most} ms`)
  }
  const together: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    await Promise.all(BOARD.map((call, n) => ask(five[n]!, call)))
    together.push(performance.now() - begun)
  }
  for (const each of five) each.close()
  const measured = await umamiBoard()
  const theirs = measured ?? RECORDED_MS
  const source =
    measured === undefined ? 'as it was recorded on two cores; set UMAMI_URL to measure it here' : 'measured here'
  const [half, most] = [quantile(together, 0.5), quantile(together, 0.95)]
  console.log(
    `the five of the board in parallel  median ${half.toFixed(2)} ms, p95 ${most.toFixed(2)} ms: ` +
      `${Math.round(theirs / half)} times faster than Umami's ${Math.round(theirs)} ms (${source}), ${Math.round(theirs / most)} times at p95`,
  )
}
