import { quantile } from '../analytics/quantile.ts'

interface Side {
  work(client: number): Promise<unknown>
  /** Returns the CPU time so far, ms. That of this process by default. */
  cpu?(): number
  /** Waits until the work has ended that the requests have set off. Its CPU time counts, its time does not. */
  rest?(): Promise<void>
}

const ROUND_MS = 1_000
const ROUNDS = 7

const ownCpu = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function rateOf(clients: number, { work, cpu = ownCpu, rest }: Side): Promise<{ rate: number; cpuMs: number }> {
  const [begun, before] = [performance.now(), cpu()]
  let done = 0
  const client = async (_: unknown, n: number) => {
    for (; performance.now() - begun < ROUND_MS; done++) await work(n)
  }
  await Promise.all(Array.from({ length: clients }, client))
  const rate = done / ((performance.now() - begun) / 1_000)
  await rest?.()
  return { rate, cpuMs: (cpu() - before) / done }
}

/**
 * Returns the median ratio of our rate to the peer's. Rounds alternate, so that load on the machine affects both; the
 * first one is not counted.
 */
export async function compareRates(what: string, clients: number, ours: Side, peer: Side): Promise<number> {
  const rounds: { ours: Awaited<ReturnType<typeof rateOf>>; peer: Awaited<ReturnType<typeof rateOf>> }[] = []
  for (let round = 0; round <= ROUNDS; round++)
    rounds.push({ ours: await rateOf(clients, ours), peer: await rateOf(clients, peer) })
  rounds.shift()
  const median = (value: (round: (typeof rounds)[number]) => number) => quantile(rounds.map(value), 0.5)
  const ratio = median((round) => round.ours.rate / round.peer.rate)
  console.log(
    `${what}, ${clients} clients: ${Math.round(median(({ ours }) => ours.rate))}/s, ${ratio.toFixed(2)} of the peer's ` +
      `${Math.round(median(({ peer }) => peer.rate))}/s; CPU each ${median(({ ours }) => ours.cpuMs).toFixed(2)} ms, ` +
      `the peer's ${median(({ peer }) => peer.cpuMs).toFixed(2)} ms`,
  )
  return ratio
}
