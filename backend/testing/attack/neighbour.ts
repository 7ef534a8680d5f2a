import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createAttacker } from './attacker.ts'
import type { DescribedOperation } from './describedOperations.ts'
import type { Neighbour } from './report.ts'
import { PRODUCTION_RATES, startTarget } from './target.ts'

const HOSTILE = path.join(import.meta.dirname, 'hostileClientProgram.ts')
const PATHS = ['/auth/me', '/videos/my-works', '/credits/history', '/subscriptions/stats', '/users/sessions']
/** Requests of the neighbour per second. */
const RATE = 40

/** What the hostile client sends: each kind alone, then all together. */
const KINDS = ['uploads', 'patterns', 'sockets', 'uploads,patterns,sockets']

/**
 * Measures another user's p99 beside each kind of hostile client, on a Kinora with the limits of production.
 * @param find reports answers to the neighbour that are not 200
 */
export async function measureNeighbours(
  operations: readonly DescribedOperation[],
  find: (what: string) => void,
  rounds: number,
  roundMs: number,
): Promise<Neighbour[]> {
  const target = await startTarget(PRODUCTION_RATES)
  const attacker = createAttacker(target, operations)
  try {
    const measured: Neighbour[] = []
    for (const kind of KINDS) measured.push(await measureNeighbour(attacker, kind, rounds, roundMs))
    return measured
  } finally {
    for (const { what } of attacker.findings) find(what)
    await target.stop()
  }
}

/**
 * Measures in rounds of `roundMs` with and without the hostile client in turn, so that other programs of the machine
 * slow both alike. The rounds without it come first and last.
 */
async function measureNeighbour(
  attacker: ReturnType<typeof createAttacker>,
  kind: string,
  rounds: number,
  roundMs: number,
): Promise<Neighbour> {
  const quiet: number[] = []
  const hostile: number[] = []
  const { target } = attacker
  const measure = async (into: number[]) => {
    const as = await target.newAccount()
    const start = performance.now()
    const sending: Promise<void>[] = []
    for (let n = 0; performance.now() - start < roundMs; n++) {
      await delay(Math.max(0, start + (n * 1_000) / RATE - performance.now()))
      const sentAt = performance.now()
      const answer = attacker.call('GET', PATHS[n % PATHS.length]!, as)
      sending.push(
        answer.then(({ status }) => {
          into.push(performance.now() - sentAt)
          if (status !== 200) attacker.find(`the neighbour of a hostile client is answered with ${status}`)
        }),
      )
    }
    await Promise.all(sending)
  }
  for (let round = 0; round < rounds; round++) {
    await measure(quiet)
    const { cookie } = await target.newAccount()
    const client = fork(HOSTILE, [target.url, cookie, kind], { stdio: 'inherit' })
    await once(client, 'message')
    await measure(hostile)
    client.kill()
    await once(client, 'exit')
    // What the hostile client has started ends.
    await delay(500)
  }
  await measure(quiet)
  const [quietP99Ms, hostileP99Ms] = [p99(quiet), p99(hostile)]
  const samples = Math.min(quiet.length, hostile.length)
  return { kind, quietP99Ms, hostileP99Ms, ratio: hostileP99Ms / quietP99Ms, samples }
}

const p99 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
