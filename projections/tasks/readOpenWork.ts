import type { GlobalPosition } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Database } from '../engine/readModel.ts'

type Open = { id: string; user_id: string }

interface OpenWorkRow {
  readonly known: Readonly<Record<string, GlobalPosition | null>>
  readonly tasks: readonly (Open & { priority: number })[]
  readonly late: readonly Open[]
  readonly subscribers: readonly string[]
}

/** Workflows that were going on, and the positions of the log up to which that is known: one statement, one snapshot. */
export async function readOpenWork(database: Database) {
  const [row] = await database.em.fork().execute<[OpenWorkRow]>(
    `select (select coalesce(json_object_agg(name, position), '{}') from projection_checkpoint
              where name in ('openTasks', 'lateRenders', 'currentSubscriptions')) as known,
            (select coalesce(json_agg(id order by id), '[]') from current_subscription where unclosed <> '[]') as subscribers,
            (select coalesce(json_agg(t order by id), '[]') from open_task t) as tasks,
            (select coalesce(json_agg(t order by id), '[]') from late_render t) as late`,
  )
  const { known, tasks, late, subscribers } = row
  return {
    upTo: {
      generations: known.openTasks ?? undefined,
      recoveries: known.lateRenders ?? undefined,
      subscribers: known.currentSubscriptions ?? undefined,
    },
    generations: tasks.map(({ id, user_id, priority }) => ({ taskId: id, userId: user_id, priority })),
    subscribers,
    recoveries: late.map(({ id, user_id }) => ({ taskId: id, userId: user_id })),
  }
}

/** Holds made longer ago than so many milliseconds before `now`, the oldest first, some hundreds at a time. */
export async function readOldHolds(database: Database, ageMs: number, now: number) {
  const rows = await database.em.fork().execute<{ id: string; user_id: string }[]>(
    `select id, user_id from open_hold h where held_at < ?
         and not exists (select 1 from open_task t where t.id = h.id) order by held_at limit 500`,
    [new Date(now - ageMs)],
  )
  return rows.map(({ id, user_id }) => ({ taskId: id, userId: user_id }))
}
