import { listParked } from '#projections/engine/readParked.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { instant } from '../kernel/http/instant.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import * as contract from './contract.ts'
import type { OperatorActions } from './operatorActions.ts'

interface ParkedRoutes {
  readonly database: Database
  readonly actions: OperatorActions
  /** Projects the parked events again, until the signal aborts. */
  readonly replay: (signal: AbortSignal) => Promise<{ readonly replayed: number; readonly failed: number }>
  /** Removes secrets from an error text. */
  readonly redact: (text: string) => string
}

const REPLAY_LIMIT_MS = 20_000

/** Serves the list of parked events and their replay. */
export function serveParked(serve: Serve, { database, actions, replay, redact }: ParkedRoutes): void {
  serve(contract.parkedEvents, async ({ query }) => {
    const { rows, total } = await listParked(database, { page: query.page, perPage: query.per_page })
    const events = rows.map(({ parkedAt, error, ...event }) => ({
      ...event,
      error: error && redact(error),
      parked_at: instant(parkedAt),
    }))
    return { success: true as const, events, total }
  })

  serve(contract.replayParkedEvents, async ({ ctx }) => {
    const { replayed, failed } = await replay(AbortSignal.timeout(REPLAY_LIMIT_MS))
    await actions.record({ action: 'events_replayed', detail: `${replayed} replayed, ${failed} failed`, ctx })
    const { total: remaining } = await listParked(database, { page: 1, perPage: 1 })
    return { success: true as const, replayed, failed, remaining }
  })
}
