import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { GlobalPosition } from '../eventsourcing/eventStore.port.ts'
import { listenOnce } from './listenOnce.ts'

/** Rows of a read model that a committed batch has changed. */
export interface Change {
  readonly name: string
  readonly position?: GlobalPosition
  readonly ids: readonly string[]
}

export interface Changes {
  subscribe(listener: (change: Change) => void): () => void
  /** Waits until these read models show what was appended up to `position`, but no longer than `timeoutMs`. */
  waitFor(names: readonly string[], position: GlobalPosition | undefined, timeoutMs?: number): Promise<void>
  close(): Promise<void>
}

export const CHANGE_CHANNEL = 'read_model'
/** The name under which a listener hears that the connection was lost and is back: what was told meanwhile it has missed. */
export const RELISTENED = 'relistened'

/** Hears of every batch that a projection commits, in whichever process. Reconnects by itself. */
export function listenToChanges(connection: pg.ClientConfig): Changes {
  const listeners = new Set<(change: Change) => void>()
  const positions = new Map<string, GlobalPosition>()
  const stop = new AbortController()

  const hear = (payload: string | undefined) => {
    const change = JSON.parse(payload ?? '{}') as Change
    if (change.position) positions.set(change.name, change.position)
    for (const listener of listeners) listener(change)
  }

  const running = (async () => {
    let times = 0
    const onListening = () => {
      if (times++ > 0) for (const listener of listeners) listener({ name: RELISTENED, ids: [] })
    }
    while (!stop.signal.aborted) {
      await listenOnce(connection, CHANGE_CHANNEL, stop.signal, { hear, onListening }).catch(() => {})
      await delay(200, undefined, { signal: stop.signal }).catch(() => {})
    }
  })()

  const shown = (names: readonly string[], position: GlobalPosition) =>
    names.every((name) => (positions.get(name) ?? '') >= position)

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    async waitFor(names, position, timeoutMs = 1_000) {
      if (!position || shown(names, position)) return
      const seen = Promise.withResolvers<void>()
      const unsubscribe = this.subscribe(() => {
        if (shown(names, position)) seen.resolve()
      })
      const timer = setTimeout(seen.resolve, timeoutMs)
      await seen.promise
      clearTimeout(timer)
      unsubscribe()
    },

    async close() {
      stop.abort()
      await running
    },
  }
}
