import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from '../../kernel/pool.ts'

/** Videos, each of another user, whose messages are sent at the same time. */
const MAX_SENDING = 50
/** Videos of one user whose messages are not sent yet. Messages about more are dropped. */
const MAX_QUEUED = 20
const STOP_TIMEOUT_MS = 5_000

/**
 * Creates a queue that sends the messages about a user's videos one video after the other. Users choose the addresses,
 * and one that does not answer delays only the messages of its user.
 */
export function createPushQueue(onError: (error: unknown) => void, stopTimeoutMs = STOP_TIMEOUT_MS) {
  const pool = new Pool(MAX_SENDING)
  const queues = new Map<string, Promise<void>[]>()
  let stopped = false

  return {
    /** Queues the messages about one video. They are dropped if too many videos of the user wait. */
    add(userId: string, send: () => Promise<void>): void {
      const queue = queues.get(userId) ?? []
      if (queue.length === MAX_QUEUED) return
      const sendUnlessStopped = async () => {
        if (!stopped) await send()
      }
      const sent = Promise.resolve(queue.at(-1))
        .then(() => pool.run({}, sendUnlessStopped))
        .catch(onError)
        .finally(() => {
          queue.shift()
          if (queue.length === 0) queues.delete(userId)
        })
      queue.push(sent)
      queues.set(userId, queue)
    },

    /** Waits for the queued messages until a timeout, then drops those that are not being sent. */
    async stop(): Promise<void> {
      await Promise.race([Promise.all([...queues.values()].flat()), delay(stopTimeoutMs, undefined, { ref: false })])
      stopped = true
    },
  }
}
