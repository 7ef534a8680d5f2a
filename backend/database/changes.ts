import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { GlobalPosition } from '../eventsourcing/eventStore.ts'

/** Rows of a read model that a committed batch has changed. */
export interface Change {
  readonly name: string
  readonly position?: GlobalPosition
  readonly ids: readonly string[]
}

export interface Changes {
  subscribe(listener: (change: Change) => void): () => void
  /** Waits until these read models show what was appended up to `position`, but no longer than `timeoutMs`. */
  reached(names: readonly string[], position: GlobalPosition | undefined, timeoutMs?: number): Promise<void>
  close(): Promise<void>
}

export const CHANGE_CHANNEL = 'read_model'

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

  const listen = async () => {
    const client = new pg.Client(connection)
    const lost = Promise.withResolvers<void>()
    client.on('notification', ({ payload }) => hear(payload))
    client.on('error', () => lost.resolve())
    client.on('end', () => lost.resolve())
    stop.signal.addEventListener('abort', () => lost.resolve())
    try {
      await client.connect()
      await client.query(`listen ${CHANGE_CHANNEL}`)
      await lost.promise
    } finally {
      await client.end().catch(() => {})
    }
  }

  const running = (async () => {
    while (!stop.signal.aborted) {
      await listen().catch(() => {})
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

    async reached(names, position, timeoutMs = 1_000) {
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
