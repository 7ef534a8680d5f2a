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

/** Asks until an answer comes that is not the server's fault. */
async function answered(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const answer = await ask().catch(() => undefined)
    if (answer && answer.status < 500) return answer
    await delay(100)
  }
}

export const seenTask = async (user: TestUser, id: string): Promise<SeenTask> =>
  (await (await answered(() => user.call('GET', `/videos/tasks/${id}`))).json()) as SeenTask

/** Asks for a video under one key until it is accepted; answers its id. */
export async function submit(user: TestUser, prompt: string): Promise<string> {
  const key = { 'idempotency-key': crypto.randomUUID() }
  const answer = await answered(() => user.call('POST', '/videos/generate', { ...GENERATION, prompt }, key))
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { task: SeenTask }).task.id
}

export async function untilEnded(user: TestUser, id: string): Promise<SeenTask> {
  for (;;) {
    const task = await seenTask(user, id)
    if (hasEnded(task)) return task
    await delay(100)
  }
}

/** Someone with the workspace open, who makes one video after another whatever happens to the servers. */
export interface Creator {
  readonly user: TestUser
  /** Tasks that were accepted, oldest first. */
  readonly accepted: readonly string[]
  /** Whether the page's socket stands. */
  readonly connected: boolean
  /** Times that it was lost. */
  readonly losses: number
  /** Resolves once the last video has ended. */
  rest(): Promise<void>
  leave(): void
}

/** @param url where visitors come in */
export function startCreator(url: string, user: TestUser): Creator {
  const accepted: string[] = []
  let working = true
  let connected = false
  let losses = 0
  const leave = liveSocket({
    address: async () => {
      const answer = await user.call('POST', '/ws/token')
      const { token } = (await answer.json()) as { token: string }
      return `${url.replace('http', 'ws')}/api/v1/ws?token=${token}`
    },
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
    async rest() {
      working = false
      await work
    },
    leave,
  }
}
