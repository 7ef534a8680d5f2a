import { cpuTime } from '../analytics/cpuTime.ts'
import { quantile } from '../analytics/quantile.ts'
import type { Point } from './growth.ts'

type Cost = Omit<Point, 'size'>

/** Returns the CPU time of this process and of PostgreSQL so far, ms. @param postmaster pid of the PostgreSQL server */
function cpuSoFar(postmaster: number): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 + cpuTime(postmaster)
}

/** Measures `work` once. @param postmaster pid of the PostgreSQL server */
export async function costOf(postmaster: number, work: () => Promise<unknown>): Promise<Cost> {
  const [begun, cpu] = [performance.now(), cpuSoFar(postmaster)]
  await work()
  return { wall_ms: performance.now() - begun, cpu_ms: cpuSoFar(postmaster) - cpu }
}

/** Calls, and time of calls, after which a round ends. */
const MAX_CALLS = 400
const MAX_MS = 1_000
/** The median round counts, because other work on the machine comes in bursts. */
const ROUNDS = 3

/**
 * Measures calls of `work`, one after the other, in rounds. Returns the cost of one. The first round is not counted: it
 * compiles the code and fills the caches.
 */
export async function costEach(
  postmaster: number,
  work: () => Promise<unknown>,
  maxCalls: number = MAX_CALLS,
): Promise<Cost> {
  const round = async (): Promise<Cost> => {
    let calls = 0
    const { wall_ms, cpu_ms } = await costOf(postmaster, async () => {
      const begun = performance.now()
      do await work()
      while (++calls < maxCalls && performance.now() - begun < MAX_MS)
    })
    return { wall_ms: wall_ms / calls, cpu_ms: cpu_ms / calls }
  }
  await round()
  const rounds: Cost[] = []
  for (let n = 0; n < ROUNDS; n++) rounds.push(await round())
  const median = (key: keyof Cost) =>
    quantile(
      rounds.map((each) => each[key]),
      0.5,
    )
  return { wall_ms: median('wall_ms'), cpu_ms: median('cpu_ms') }
}
