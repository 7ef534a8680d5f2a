import { setTimeout as delay } from 'node:timers/promises'
import type { Starter } from './engine.port.ts'

/** Starts a workflow for each pending row. */
export interface RowTrigger {
  /** Returns the ids of the pending rows. */
  readonly waiting: () => Promise<readonly string[]>
  readonly start: (engine: Starter, id: string) => Promise<void>
}

export interface RowTriggers {
  readonly engine: Starter
  readonly triggers: readonly RowTrigger[]
  /** Registers a listener for rows that any process may have added. Returns a function that removes it. */
  readonly onChange: (listener: () => void) => () => void
  readonly signal: AbortSignal
  /** Receives the first error of a list, and how many of its rows failed. */
  readonly onError: (error: unknown, failed?: number) => void
  /** Polling interval. Polling finds rows whose notification was lost while the connection was down. */
  readonly pollMs?: number
}

const RETRY_MS = 1_000

/** Starts workflows for pending rows until the signal aborts. Starting a workflow twice has no effect. */
export async function runRowTriggers(run: RowTriggers): Promise<void> {
  const { engine, triggers, onChange, signal, onError, pollMs = 15_000 } = run
  let changed = Promise.withResolvers<void>()
  const unsubscribe = onChange(() => changed.resolve())
  while (!signal.aborted) {
    // Reset before reading, so that a row added during the read triggers another one.
    changed = Promise.withResolvers()
    let pauseMs = pollMs
    for (const trigger of triggers) {
      const [error, ...others] = await startRows(trigger, engine, signal)
      if (error === undefined) continue
      if (!signal.aborted) onError(error, 1 + others.length)
      pauseMs = Math.min(RETRY_MS, pollMs)
    }
    const done = new AbortController()
    const pause = delay(pauseMs, undefined, { signal: AbortSignal.any([signal, done.signal]) }).catch(() => {})
    await Promise.race([changed.promise, pause])
    done.abort()
  }
  unsubscribe()
}

/** Starts the workflows of the pending rows. Returns the errors: a row that fails holds back no other. */
async function startRows({ waiting, start }: RowTrigger, engine: Starter, signal: AbortSignal): Promise<unknown[]> {
  const errors: unknown[] = []
  try {
    for (const id of await waiting()) {
      if (signal.aborted) break
      await start(engine, id).catch((error) => errors.push(error))
    }
  } catch (error) {
    errors.push(error)
  }
  return errors
}
