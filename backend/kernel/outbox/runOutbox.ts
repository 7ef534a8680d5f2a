import { pause } from '../backoff.ts'
import { must } from '../must.ts'
import type { Running } from '../postgres/leased.ts'
import type { Clock } from '../time.ts'
import type { Attempt, ChannelName, Claimed, Outbox } from './outbox.ts'

/** Sends messages in one way. */
export interface Channel {
  /** Makes an attempt. An error counts as a failed one. */
  send(message: Claimed): Promise<Attempt>
  /** Returns the time from an attempt, counted from 1, to the next, ms; undefined after the last one. */
  wait(attempts: number): number | undefined
}

interface OutboxRun {
  readonly outbox: Pick<Outbox, 'release' | 'claim' | 'record'>
  /** Fencing token of the lease, which tells its attempts from those of earlier processes. */
  readonly token: number
  readonly channels: Readonly<Partial<Record<ChannelName, Channel>>>
  readonly clock: Clock
  /** Registers a listener for new messages. Returns a function that removes it. */
  readonly onChange: (listener: () => void) => () => void
  readonly onError: (error: unknown, messageId?: string) => void
}

/** Attempts at the same time. */
const MAX_SENDING = 500
/** Attempts at the same time for a target that answered its last one. A round may add a few. */
const MAX_PER_TARGET = 4
const POLL_MS = 1_000
const STOP_TIMEOUT_MS = 5_000

/**
 * Sends due messages until it is stopped. A target that fails gets one round of attempts at a time, so that dead ones leave
 * room for the others.
 */
export function runOutbox(run: OutboxRun): Running {
  const { outbox, token, onChange, onError } = run
  const channels = Object.keys(run.channels)
  const halt = new AbortController()
  const { signal } = halt
  const sending = new Map<string, number>()
  const failing = new Set<string>()
  const running = new Set<Promise<void>>()
  let woken = Promise.withResolvers<void>()
  const unsubscribe = onChange(() => woken.resolve())

  function start(message: Claimed): void {
    const { target } = message
    sending.set(target, (sending.get(target) ?? 0) + 1)
    const done = attempt(run, message)
      .then((outcome) => void (outcome === 'failed' ? failing.add(target) : failing.delete(target)))
      .catch((error) => onError(error, message.id))
      .finally(() => {
        const left = (sending.get(target) ?? 1) - 1
        if (left > 0) sending.set(target, left)
        else sending.delete(target)
        running.delete(done)
        woken.resolve()
      })
    running.add(done)
  }

  async function loop(): Promise<void> {
    let isFirst = true
    while (!signal.aborted) {
      woken = Promise.withResolvers()
      try {
        if (isFirst) await outbox.release(token)
        isFirst = false
        const isBusy = ([target, count]: [string, number]) => count >= (failing.has(target) ? 1 : MAX_PER_TARGET)
        const busy = [...sending].filter(isBusy).map(([target]) => target)
        const claimed = running.size < MAX_SENDING ? await outbox.claim(token, channels, busy) : []
        for (const message of claimed) start(message)
        if (claimed.length > 0) continue
      } catch (error) {
        if (!signal.aborted) onError(error)
      }
      const done = new AbortController()
      await Promise.race([woken.promise, pause(POLL_MS, AbortSignal.any([signal, done.signal]))])
      done.abort()
    }
  }

  const done = loop()
  return {
    started: Promise.resolve(),
    async stop() {
      halt.abort()
      woken.resolve()
      unsubscribe()
      await done
      // Others are repeated by the next process.
      await Promise.race([Promise.all(running), pause(STOP_TIMEOUT_MS)])
    },
  }
}

/** Makes an attempt and records it. Returns what became of it. */
async function attempt({ outbox, channels, clock, onError }: OutboxRun, message: Claimed): Promise<Attempt['outcome']> {
  const channel = must(channels[message.channel], 'channel')
  const startedAt = clock()
  const result: Attempt = await channel.send(message).catch((error): Attempt => {
    onError(error, message.id)
    return { outcome: 'failed', fault: 'internal' }
  })
  const next = result.outcome === 'failed' ? channel.wait(message.attempts) : undefined
  const waitMs = next === undefined ? null : Math.max(next, result.waitMs ?? 0)
  await outbox.record(message, result, clock() - startedAt, waitMs)
  return result.outcome
}
