import type { GlobalPosition } from '#backend/eventsourcing/eventStore.ts'
import type { Database } from './readModel.ts'

/** Workflows that were going on, and the position of the log up to which that is known. */
export function readOpenWork(database: Database) {
  return database.em.fork().transactional(async (em) => {
    await em.execute('set transaction isolation level repeatable read')
    const [checkpoint] = await em.execute<{ position: GlobalPosition | null }[]>(
      `select min(coalesce(position, '')) as position from projection_checkpoint where name in ('openTasks', 'lateRenders')`,
    )
    const tasks = await em.execute<{ id: string; user_id: string; priority: number }[]>(
      'select * from open_task order by id',
    )
    const late = await em.execute<{ id: string; user_id: string }[]>('select * from late_render order by id')
    return {
      position: checkpoint?.position || undefined,
      generations: tasks.map(({ id, user_id, priority }) => ({ taskId: id, userId: user_id, priority })),
      recoveries: late.map(({ id, user_id }) => ({ taskId: id, userId: user_id })),
    }
  })
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
