import { setTimeout as delay } from 'node:timers/promises'
import { GENERATION, type TestUser } from '../testUser.ts'

export interface LoadOutcome {
  readonly calls: number
  /** What went wrong, one for each failed call. */
  readonly failed: readonly string[]
  readonly accepted: readonly { readonly user: TestUser; readonly id: string }[]
}

const READS = ['/videos/tasks', '/credits/history', '/subscriptions/stats', '/auth/me', '/videos/queue']

/**
 * Sends calls at a constant rate until it is stopped: reads, and a new video of each user as soon as the last has ended.
 * Returns a function that stops it and waits for the last answer.
 */
export function startConstantLoad(users: readonly TestUser[], callsPerSecond: number): () => Promise<LoadOutcome> {
  const halt = new AbortController()
  const done = sendCalls(users, callsPerSecond, halt.signal)
  return () => {
    halt.abort()
    return done
  }
}

async function sendCalls(
  users: readonly TestUser[],
  callsPerSecond: number,
  signal: AbortSignal,
): Promise<LoadOutcome> {
  const open = new Map<TestUser, string>()
  const accepted: { user: TestUser; id: string }[] = []
  const failed: string[] = []
  const calls: Promise<void>[] = []
  const call = async (user: TestUser, n: number) => {
    const last = open.get(user)
    if (n % 3 === 0 && !last) {
      open.set(user, 'asked')
      const key = { 'idempotency-key': crypto.randomUUID() }
      const answer = await user.call('POST', '/videos/generate', GENERATION, key)
      if (answer.status !== 202) return void failed.push(`generate: ${answer.status} ${await answer.text()}`)
      const { task } = (await answer.json()) as { task: { id: string } }
      open.set(user, task.id)
      accepted.push({ user, id: task.id })
    } else if (n % 3 === 1 && last && last !== 'asked') {
      const answer = await user.call('GET', `/videos/tasks/${last}`)
      if (answer.status !== 200) return void failed.push(`task: ${answer.status}`)
      if (/Success|Fail/.test(((await answer.json()) as { status: string }).status)) open.delete(user)
    } else {
      const path = READS[n % READS.length]!
      const answer = await user.call('GET', path)
      if (answer.status !== 200) failed.push(`${path}: ${answer.status}`)
      await answer.arrayBuffer()
    }
  }
  const start = performance.now()
  for (let n = 0; !signal.aborted; n++) {
    await delay(Math.max(0, start + (n * 1_000) / callsPerSecond - performance.now()))
    const user = users[n % users.length]!
    const sent = call(user, Math.floor(n / users.length))
    calls.push(sent.catch((error) => void failed.push(String(error.cause ?? error))))
  }
  await Promise.all(calls)
  return { calls: calls.length, failed, accepted }
}
