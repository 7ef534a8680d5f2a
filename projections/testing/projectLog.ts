import type { EventStore } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import type { AnyProjection } from '../engine/projection.ts'
import { runProjections } from '../engine/runProjections.ts'

interface Stores {
  readonly store: Pick<EventStore, 'subscribeAll'>
  readonly database: Database
}

/** Brings read models up to the head of the log. */
export async function projectLog(projections: readonly AnyProjection[], { store, database }: Stores): Promise<void> {
  const halt = new AbortController()
  const behind = new Set(projections.map(({ name }) => name))
  const log = { info() {}, error: (detail: object, message: string) => console.error(message, detail) }
  const onLive = ({ name }: AnyProjection) => {
    behind.delete(name)
    if (behind.size === 0) halt.abort()
  }
  await runProjections(projections, { store, database, log, signal: halt.signal, onLive })
}
