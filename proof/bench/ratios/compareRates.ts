import { quantile } from '../analytics/quantile.ts'

export interface Side {
  work(client: number): Promise<unknown>
  /** Returns the CPU time so far, ms. That of this process by default. */
  cpu?(): number
  /** Waits until the work has ended that the requests have set off. Its CPU time counts, its time does not. */
  rest?(): Promise<void>
  /** Removes what a round has left behind. Neither its time nor its CPU time counts. */
  clear?(): Promise<unknown>
}

const ROUND_MS = 1_000
const ROUNDS = 7

const ownCpu = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

interface Rate {
  readonly rate: number
  /** CPU time of one call, ms. */
  readonly cpuMs: number
}

export interface Comparison {
  /** Median of the ratio of our rate to the peer's. */
  readonly ratio: number
  readonly ours: Rate
  readonly peer: Rate
}

async function rateOf(clients: number, { work, cpu = ownCpu, rest, clear }: Side): Promise<Rate> {
  const [begun, before] = [performance.now(), cpu()]
  let done = 0
  const client = async (_: unknown, n: number) => {
    for (; performance.now() - begun < ROUND_MS; done++) await work(n)
  }
  await Promise.all(Array.from({ length: clients }, client))
  const rate = done / ((performance.now() - begun) / 1_000)
  await rest?.()
  const cpuMs = (cpu() - before) / done
  await clear?.()
  return { rate, cpuMs }
}

/**
 * Compares our rate with a peer's, and the CPU time of a call. Rounds alternate, so that load on the machine affects both;
 * the first one is not counted. All figures are medians.
 */
export async function compareSides(what: string, clients: number, ours: Side, peer: Side): Promise<Comparison> {
  const rounds: { ours: Rate; peer: Rate }[] = []
  for (let round = 0; round <= ROUNDS; round++)
    rounds.push({ ours: await rateOf(clients, ours), peer: await rateOf(clients, peer) })
  rounds.shift()
  const median = (value: (round: (typeof rounds)[number]) => number) => quantile(rounds.map(value), 0.5)
  const medians = (side: 'ours' | 'peer') => ({
    rate: median((round) => round[side].rate),
    cpuMs: median((round) => round[side].cpuMs),
  })
  const found = {
    ratio: median((round) => round.ours.rate / round.peer.rate),
    ours: medians('ours'),
    peer: medians('peer'),
  }
  console.log(
    `${what}, ${clients} clients: ${Math.round(found.ours.rate)}/s, ${found.ratio.toFixed(2)} of the peer's ` +
      `${Math.round(found.peer.rate)}/s; CPU each ${found.ours.cpuMs.toFixed(2)} ms, the peer's ${found.peer.cpuMs.toFixed(2)} ms`,
  )
  return found
}

/** Returns the ratio of {@link compareSides}. */
export const compareRates = async (what: string, clients: number, ours: Side, peer: Side): Promise<number> =>
  (await compareSides(what, clients, ours, peer)).ratio
