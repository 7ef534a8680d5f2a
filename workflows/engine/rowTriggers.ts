import { setTimeout as delay } from 'node:timers/promises'
import type { Starter } from './engine.port.ts'

/** Starts a workflow for each row that waits for one. */
export interface RowTrigger {
  /** Returns the ids of the waiting rows. */
  readonly waiting: () => Promise<readonly string[]>
  readonly start: (engine: Starter, id: string) => Promise<void>
}

export interface RowTriggers {
  readonly engine: Starter
  readonly triggers: readonly RowTrigger[]
  /** Calls the listener when any process may have added a row. Returns the function that unsubscribes it. */
  readonly onChange: (listener: () => void) => () => void
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
  /** Polling interval. Notifications are lost while the connection is down. */
  readonly pollMs?: number
}

const RETRY_MS = 1_000

/** Starts workflows for waiting rows until the signal aborts. A second start of the same workflow does nothing. */
export async function runRowTriggers(run: RowTriggers): Promise<void> {
  const { engine, triggers, onChange, signal, onError, pollMs = 15_000 } = run
  let changed = Promise.withResolvers<void>()
  const unsubscribe = onChange(() => changed.resolve())
  while (!signal.aborted) {
    // Reset before reading: a row that arrives during the read causes another one.
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
