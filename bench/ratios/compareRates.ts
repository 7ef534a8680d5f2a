import { quantile } from '../analytics/quantile.ts'

type Work = (client: number) => Promise<unknown>

const ROUND_MS = 600
const ROUNDS = 7

async function rateOf(clients: number, work: Work): Promise<{ rate: number; cpuMicros: number }> {
  const [begun, cpu] = [performance.now(), process.cpuUsage()]
  let done = 0
  const client = async (_: unknown, n: number) => {
    for (; performance.now() - begun < ROUND_MS; done++) await work(n)
  }
  await Promise.all(Array.from({ length: clients }, client))
  const { user, system } = process.cpuUsage(cpu)
  return { rate: done / ((performance.now() - begun) / 1_000), cpuMicros: (user + system) / done }
}

/**
 * Returns the median ratio of our rate to the peer's. Rounds alternate, so that load on the machine affects both; the
 * first one is not counted.
 */
export async function compareRates(what: string, clients: number, ours: Work, peer: Work): Promise<number> {
  const rounds: { ours: Awaited<ReturnType<typeof rateOf>>; peer: Awaited<ReturnType<typeof rateOf>> }[] = []
  for (let round = 0; round <= ROUNDS; round++)
    rounds.push({ ours: await rateOf(clients, ours), peer: await rateOf(clients, peer) })
  rounds.shift()
  const median = (value: (round: (typeof rounds)[number]) => number) => quantile(rounds.map(value), 0.5)
  const ratio = median((round) => round.ours.rate / round.peer.rate)
  console.log(
    `${what}, ${clients} clients: ${Math.round(median(({ ours }) => ours.rate))}/s, ${ratio.toFixed(2)} of the peer; ` +
      `CPU in Node ${Math.round(median(({ ours }) => ours.cpuMicros))} µs, the peer's ${Math.round(median(({ peer }) => peer.cpuMicros))} µs`,
  )
  return ratio
}
