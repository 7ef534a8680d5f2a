import type { Database } from '#backend/kernel/postgres/query.ts'
import { query } from '#backend/kernel/postgres/query.ts'
import { type LocalDays, localDays, SPAN } from '../engine/queryPage.ts'

/** Clips that were delivered with one model by one engine. */
export interface MadeRow {
  readonly model: string | null
  readonly engine: string | null
  readonly clips: number
  readonly credits: number
  /** Cost in US cents of those whose cost is known. */
  readonly cents: number
  /** Clips whose cost is unknown. */
  readonly unpriced: number
}

/** Returns what was delivered in a period. Joined films, which are free, are left out. */
export const readMade = (database: Database, days: LocalDays) =>
  query<MadeRow>(
    database,
    `select model, engine, count(*)::int as clips, coalesce(sum(credits), 0)::float as credits,
       coalesce(sum(cents), 0)::float as cents, count(*) filter (where cents is null)::int as unpriced
     from task_outcome, ${SPAN}
     where ended_at >= begins and ended_at < ends and error_code is null and credits is distinct from 0
     group by model, engine order by clips desc, model, engine`,
    localDays(days),
  )

/** Export of a period's clips with their costs. Parameters: first day, last day, time zone. */
export const COSTS_FILE = {
  columns: ['ended_at', 'task', 'model', 'engine', 'resolution', 'seconds', 'error', 'credits', 'cost_usd'],
  sql: `select to_char(ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), id, model, engine, resolution, duration,
      error_code, case when error_code is null then credits end, (cents / 100.0)::numeric(20, 4)::text
    from task_outcome where ended_at >= $1::date::timestamp at time zone $3::text
      and ended_at < ($2::date + 1)::timestamp at time zone $3::text order by ended_at, id`,
} as const
