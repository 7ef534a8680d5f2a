import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Attacker } from './attacker.ts'
import type { Neighbour } from './report.ts'

const HOSTILE = path.join(import.meta.dirname, 'hostileClientProgram.ts')
const PATHS = ['/auth/me', '/videos/my-works', '/credits/history', '/subscriptions/stats', '/users/sessions']
/** Requests of the neighbour per second. */
const RATE = 40

/**
 * Measures another user's p99 in rounds of `roundMs` with and without a hostile client in turn, so that other programs
 * of the machine slow both alike. The rounds without it come first and last.
 */
export async function measureNeighbour(attacker: Attacker, rounds: number, roundMs: number): Promise<Neighbour> {
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
    const client = fork(HOSTILE, [target.url, cookie], { stdio: 'inherit' })
    await once(client, 'message')
    await measure(hostile)
    client.kill()
    await once(client, 'exit')
    // What the hostile client has started ends.
    await delay(500)
  }
  await measure(quiet)
  const [quietP99Ms, hostileP99Ms] = [p99(quiet), p99(hostile)]
  return { quietP99Ms, hostileP99Ms, ratio: hostileP99Ms / quietP99Ms, samples: Math.min(quiet.length, hostile.length) }
}

const p99 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
