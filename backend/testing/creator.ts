import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { liveSocket } from '../../site/src/api/socket.ts'
import { SOCKET_UNAUTHENTICATED } from '../tasks/contract.ts'
import { GENERATION, type TestUser } from './testUser.ts'

export interface SeenTask {
  readonly id: string
  readonly status: string
  readonly credits_consumed: number
  readonly error_code: string | null
}
export const hasEnded = ({ status }: SeenTask): boolean => /Success|Fail/.test(status)

/** Retries a request until it gets a response without a server error. */
async function retry(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const answer = await ask().catch(() => undefined)
    if (answer && answer.status < 500) return answer
    await delay(100)
  }
}

export const seenTask = async (user: TestUser, id: string): Promise<SeenTask> =>
  (await (await retry(() => user.call('GET', `/videos/tasks/${id}`))).json()) as SeenTask

/** Submits a task, with the same idempotency key on every retry. Returns the task id. */
export async function submit(user: TestUser, prompt: string): Promise<string> {
  const key = { 'idempotency-key': crypto.randomUUID() }
  const answer = await retry(() => user.call('POST', '/videos/generate', { ...GENERATION, prompt }, key))
  expect(answer.status, await answer.clone().text()).toBe(202)
  return ((await answer.json()) as { task: SeenTask }).task.id
}

export async function untilEnded(user: TestUser, id: string): Promise<SeenTask> {
  for (;;) {
    const task = await seenTask(user, id)
    if (hasEnded(task)) return task
    await delay(100)
  }
}

/** A simulated user with an open workspace who generates one video after another while servers fail. */
export interface Creator {
  readonly user: TestUser
  /** Ids of accepted tasks, oldest first. */
  readonly accepted: readonly string[]
  /** Whether the WebSocket is connected. */
  readonly connected: boolean
  /** Number of times that the WebSocket disconnected. */
  readonly losses: number
  /** Stops making videos and waits until the last one has ended. */
  finish(): Promise<void>
  disconnect(): void
}

export function startCreator(user: TestUser): Creator {
  const accepted: string[] = []
  let working = true
  let connected = false
  let losses = 0
  const disconnect = liveSocket({
    address: () => user.socketAddress(),
    open: (address) => new WebSocket(address),
    onMessage: () => {},
    onChange: (now) => {
      connected = now
      if (!now) losses++
    },
    onGiveUp: () => {},
    refusedCode: SOCKET_UNAUTHENTICATED,
  })
  const work = (async () => {
    while (working) {
      const id = await submit(user, `${user.email} ${accepted.length}`)
      accepted.push(id)
      await untilEnded(user, id)
      await delay(200)
    }
  })()
  return {
    user,
    accepted,
    get connected() {
      return connected
    },
    get losses() {
      return losses
    },
    async finish() {
      working = false
      await work
    },
    disconnect,
  }
}
