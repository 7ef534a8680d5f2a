import type pg from 'pg'
import type { GlobalPosition } from '../eventsourcing/eventStore.port.ts'
import { listen } from './listen.ts'
import { CHANGE_CHANNEL, changesOf } from './notify.ts'

/** Rows of a read model that a committed batch changed, or another notification under its own name. */
export interface Change {
  readonly name: string
  readonly position?: GlobalPosition
  readonly ids: readonly string[]
  /** Log positions that the users in `ids` have written, by read model. */
  readonly written?: Readonly<Record<string, GlobalPosition | undefined>>
}

export type Changes = ReturnType<typeof openChanges>

/** Name of the change that subscribers receive after a reconnect, because notifications may have been lost. */
export const RELISTENED = 'relistened'

/**
 * Receives a notification for every batch that a projection commits, in any process. Reconnects automatically. Listens from
 * the first call to `hear` or `waitFor`: each commit wakes every process that listens.
 * @example
 * const changes = openChanges(connection)
 * changes.hear()
 * await changes.waitFor(['videoTasks'], position)
 */
export function openChanges(connection: pg.ClientConfig) {
  const listeners = new Set<(change: Change) => void>()
  const positions = new Map<string, GlobalPosition>()
  const stop = new AbortController()
  let connections = 0

  const emit = (change: Change) => {
    for (const listener of listeners) listener(change)
  }
  const subscribe = (listener: (change: Change) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  let listening: Promise<void> | undefined
  const hear = () => {
    listening ??= listen(connection, CHANGE_CHANNEL, stop.signal, {
      onNotification(payload) {
        const heard = changesOf(payload ?? '[]')
        for (const { name, position } of heard) if (position) positions.set(name, position)
        for (const change of heard) emit(change)
      },
      onListening() {
        if (connections++ > 0) emit({ name: RELISTENED, ids: [] })
      },
    })
  }

  return {
    subscribe,

    /** Starts to listen, for a process that answers requests or runs workflows. Others need to hear nothing. */
    hear,

    /** Provides read-your-writes: waits until these read models include `position`, at most `timeoutMs`. */
    async waitFor(names: readonly string[], position: GlobalPosition | undefined, timeoutMs = 1_000): Promise<void> {
      if (!position) return
      hear()
      const isShown = () => names.every((name) => (positions.get(name) ?? '') >= position)
      if (isShown()) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const unsubscribe = subscribe(() => isShown() && resolve())
      const timer = setTimeout(resolve, timeoutMs)
      await promise
      clearTimeout(timer)
      unsubscribe()
    },

    async close(): Promise<void> {
      stop.abort()
      await listening
    },
  }
}
