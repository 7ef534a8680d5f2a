import type { Database } from '#backend/kernel/postgres/query.ts'
import { readSnapshot } from '../engine/readModel.ts'
import { lateRenders } from './lateRender.ts'
import { openTasks } from './openTask.ts'

type Work = Readonly<{ taskId: string; userId: string }>

/** Returns the tasks whose workflow has not ended. */
export const readOpenGenerations = (database: Database) =>
  readSnapshot<Work & { priority: number }>(
    database,
    openTasks,
    `json_build_object('taskId', id, 'userId', user_id, 'priority', priority)`,
  )

/** Returns the tasks whose video may still arrive late. */
export const readOpenRecoveries = (database: Database) =>
  readSnapshot<Work>(database, lateRenders, `json_build_object('taskId', id, 'userId', user_id)`)
