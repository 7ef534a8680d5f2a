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
  readonly onError: (error: unknown) => void
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
    try {
      for (const { waiting, start } of triggers) for (const id of await waiting()) await start(engine, id)
    } catch (error) {
      if (!signal.aborted) onError(error)
      pauseMs = Math.min(RETRY_MS, pollMs)
    }
    const done = new AbortController()
    const pause = delay(pauseMs, undefined, { signal: AbortSignal.any([signal, done.signal]) }).catch(() => {})
    await Promise.race([changed.promise, pause])
    done.abort()
  }
  unsubscribe()
}
