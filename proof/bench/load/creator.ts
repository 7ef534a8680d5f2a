import { SOCKET_UNAUTHENTICATED } from '#backend/tasks/contract.ts'
import { GENERATION, type TestUser } from '#backend/testing/testUser.ts'
import { liveSocket } from '../../../site/src/api/socket.ts'

export interface Video {
  /** When the click was due, in epoch milliseconds like all times. */
  readonly clicked: number
  answered?: number
  /** When the browser received the task's row. */
  shown?: number
  ended?: { readonly at: number; readonly status: string }
}
type Seen = Readonly<{ id: string; status: string }>

const hasEnded = (status: string) => status === 'Success' || status === 'Fail'
const RETRY_MS = 200

/** Simulates a user with an open workspace, who clicks without waiting for earlier videos. */
export function startCreator(user: TestUser) {
  const videos = new Map<string, Video>()
  /** Tasks whose row arrived before the answer to the click. */
  const early = new Map<string, number>()
  let open = false
  let messages = 0

  const see = ({ id, status }: Seen) => {
    const video = videos.get(id)
    const at = Date.now()
    if (!video) return void (early.has(id) || early.set(id, at))
    video.shown ??= at
    if (hasEnded(status)) video.ended ??= { at, status }
  }
  /** Reads the tasks that may have changed while the socket was lost, as the site does. */
  const refresh = async () => {
    for (const [id, { ended }] of videos) {
      if (ended) continue
      const answer = await user.call('GET', `/videos/tasks/${id}`).catch(() => undefined)
      if (answer?.ok) see((await answer.json()) as Seen)
    }
  }
  const disconnect = liveSocket({
    address: () => user.socketAddress(),
    open: (address) => new WebSocket(address),
    onMessage: (message) => {
      messages++
      const { type, task } = message as { type: string; task: Seen }
      if (type === 'task_update') see(task)
    },
    onChange: (connected) => {
      open = connected
      if (connected) void refresh()
    },
    onGiveUp: (why) => console.error(`a socket gave up: ${why}`),
    refusedCode: SOCKET_UNAUTHENTICATED,
  })

  return {
    videos: videos as ReadonlyMap<string, Video>,
    get connected() {
      return open
    },
    /** Messages that its socket has received. */
    get messages() {
      return messages
    },
    /** Asks for a video until it is accepted, with one idempotency key. */
    async click(clicked: number, prompt: string): Promise<void> {
      const key = { 'idempotency-key': crypto.randomUUID() }
      for (;;) {
        const body = { ...GENERATION, prompt }
        const answer = await user.call('POST', '/videos/generate', body, key).catch(() => undefined)
        if (answer?.status === 202) {
          const { task } = (await answer.json()) as { task: Seen }
          videos.set(task.id, {
            clicked,
            answered: Date.now(),
            ...(early.has(task.id) && { shown: early.get(task.id)! }),
          })
          return
        }
        if (answer && answer.status < 500) throw new Error(`generate: ${answer.status} ${await answer.text()}`)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    },
    refresh,
    disconnect,
  }
}
