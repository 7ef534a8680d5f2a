import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Attacker, createAttacker } from './attacker.ts'
import type { DescribedOperation } from './describedOperations.ts'
import type { Neighbour } from './report.ts'
import { type Account, PRODUCTION_RATES, startTarget, type Target } from './target.ts'

const HOSTILE = path.join(import.meta.dirname, 'hostileClientProgram.ts')
const PATHS = ['/auth/me', '/videos/my-works', '/credits/history', '/subscriptions/stats', '/users/sessions']
/** Other users, and the calls of each in a second. */
const USERS = 4
const RATE = 25
const WARM_UP_MS = 3_000
/** Time in which what a hostile client has started ends. */
const REST_MS = 500

/** What the hostile client sends: each kind alone, then all together. */
const KINDS = ['uploads', 'patterns', 'sockets', 'uploads,patterns,sockets']

export interface Measure {
  /** Laps of one round without a hostile client and one beside each kind. */
  readonly laps: number
  /** Duration of a round. A hostile client spends the units that a new client has saved in the first second or two. */
  readonly roundMs: number
}

/**
 * Measures the p99 of other users beside each kind of hostile client, on a Kinora with the limits of production. Rounds
 * with and without a hostile client take turns, so that other programs of the machine slow all alike.
 * @param find reports answers to the other users that are not 200
 */
export async function measureNeighbours(
  operations: readonly DescribedOperation[],
  find: (what: string) => void,
  { laps, roundMs }: Measure,
): Promise<Neighbour[]> {
  const target = await startTarget(PRODUCTION_RATES)
  const attacker = createAttacker(target, operations)
  const quiet: number[] = []
  const beside = KINDS.map((kind) => ({ kind, times: [] as number[] }))
  let clients = 0
  try {
    await measureUsers(attacker, WARM_UP_MS)
    for (let lap = 0; lap < laps; lap++) {
      quiet.push(...(await measureUsers(attacker, roundMs)))
      for (const { kind, times } of beside) {
        const client = await startHostileClient(target, kind, ++clients)
        times.push(...(await measureUsers(attacker, roundMs)))
        client.kill()
        await once(client, 'exit')
        await delay(REST_MS)
      }
    }
  } finally {
    for (const { what } of attacker.findings) find(what)
    await target.stop()
  }
  return beside.map(({ kind, times }) => {
    const [quietP99Ms, hostileP99Ms] = [p99(quiet), p99(times)]
    const samples = Math.min(quiet.length, times.length)
    return { kind, quietP99Ms, hostileP99Ms, ratio: hostileP99Ms / quietP99Ms, samples }
  })
}

/** Starts a hostile client of a new account and address, whose budgets are full. Resolves when it sends. */
async function startHostileClient({ url, newAccount }: Target, kind: string, n: number): Promise<ChildProcess> {
  const { cookie } = await newAccount()
  const client = fork(HOSTILE, [url, cookie, `203.0.113.${n}`, kind], { stdio: 'inherit' })
  await once(client, 'message')
  return client
}

/** Returns the times that the calls of the users take, ms. Their calls are spread evenly. */
async function measureUsers(attacker: Attacker, ms: number): Promise<number[]> {
  const users = await attacker.target.newAccounts(USERS)
  const times: number[] = []
  const call = async (as: Account, path: string) => {
    const sentAt = performance.now()
    const { status } = await attacker.call('GET', path, as)
    times.push(performance.now() - sentAt)
    if (status !== 200) attacker.find(`the neighbour of a hostile client is answered with ${status}`)
  }
  const start = performance.now()
  const sending: Promise<void>[] = []
  for (let n = 0; performance.now() - start < ms; n++) {
    await delay(Math.max(0, start + (n * 1_000) / (USERS * RATE) - performance.now()))
    const user = n % USERS
    sending.push(call(users[user]!, PATHS[Math.floor(n / USERS) % PATHS.length]!))
  }
  await Promise.all(sending)
  return times
}

const p99 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
