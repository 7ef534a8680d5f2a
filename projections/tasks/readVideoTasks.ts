import type { EventStore, NewEvent, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryOne, queryPrepared } from '#backend/kernel/postgres/query.ts'
import { VIDEO_TASK, type VideoTaskEvent } from '#backend/tasks/events.ts'
import { foldEvent, isRelevant } from '../engine/projection.ts'
import { type Page, queryPage } from '../engine/queryPage.ts'
import { includesYesterday } from '../engine/readModel.ts'
import type { Queries } from '../engine/readRows.ts'
import { inTeam } from '../teams/inTeam.ts'
import { type VideoTaskRow, videoTasks } from './videoTask.ts'

/** Filter for a user's tasks. An omitted field matches all tasks. */
export interface TaskFilter {
  readonly status?: string | undefined
  readonly taskType?: string | undefined
  readonly model?: string | undefined
  /** Earliest creation time, as an ISO instant (inclusive). */
  readonly from?: string | undefined
  /** Latest creation time, as an ISO instant (exclusive). */
  readonly before?: string | undefined
  readonly ids?: readonly string[] | undefined
  /** What the user has, which is the default, or what the teams of the user see. */
  readonly library?: 'mine' | 'team' | undefined
}

/**
 * A task's row with the progress of its render, and the progress at which its live frame was made, in percent; null
 * without progress or frame.
 */
export type TaskWithProgress = VideoTaskRow & { percent: number | null; frame_at: number | null }

const COLUMNS = 't.*, p.percent, p.frame_at'
const TASKS = 'video_task t left join render_progress p on p.task_id = t.id'

/** Films that the user $1 has made, unless another paid and is no team of theirs any more, and those of former members. */
const MINE = `(t.user_id = $1::uuid and (t.payer_id is null or t.payer_id = $1::uuid or ${inTeam('t.team_id', '$1::uuid')})
  or t.payer_id = $1::uuid and t.user_id <> $1::uuid and not ${inTeam('t.team_id', 't.user_id')})`
/** Films that a team of the user $1 sees: it paid, or a member made them. */
const SHOWN = `t.shown_to is not null and ${inTeam('t.shown_to', '$1::uuid')}
  and (t.team_id = t.shown_to or ${inTeam('t.shown_to', 't.user_id')})`

const matchingIn = (
  library: TaskFilter['library'],
) => `(${library === 'team' ? SHOWN : MINE}) and ($2::text is null or status = $2)
  and ($3::text is null or task_type = $3) and ($4::text is null or model = $4)
  and ($5::timestamptz is null or created_at >= $5) and ($6::timestamptz is null or created_at < $6)
  and ($7::jsonb is null or id in (select value::uuid from jsonb_array_elements_text($7::jsonb)))`
const NEWEST = 'created_at desc, id desc'

/** Returns the parameters of the condition {@link matchingIn}. */
const matching = (userId: string, { status, taskType, model, from, before, ids }: TaskFilter) =>
  [userId, status, taskType, model, from, before, ids && JSON.stringify(ids)].map((value) => value ?? null)

/** Returns one page of a user's tasks, newest first, and the total count. */
export async function listVideoTasks(
  database: Database,
  userId: string,
  { page, perPage, ...filter }: Page & TaskFilter,
) {
  const tasks = { columns: COLUMNS, from: `${TASKS} where ${matchingIn(filter.library)}`, orderBy: NEWEST }
  const place = { page, perPage }
  const { rows, total } = await queryPage<TaskWithProgress>(database, tasks, matching(userId, filter), place)
  return { tasks: rows, total }
}

/**
 * Returns up to `limit` of a user's tasks by their creation, after the task `after` if there is one; undefined if the user has
 * no such task. Tasks of the same time are ordered by their ids.
 */
export async function listVideoTasksAfter(
  database: Database,
  userId: string,
  { after, limit, order }: { after?: string | undefined; limit: number; order: 'asc' | 'desc' },
): Promise<TaskWithProgress[] | undefined> {
  const [known] = await query(database, `select id from video_task t where (${MINE}) and id = $2`, [
    userId,
    after ?? null,
  ])
  if (after !== undefined && !known) return undefined
  return query<TaskWithProgress>(
    database,
    `select ${COLUMNS} from ${TASKS} where (${MINE}) and ($2::uuid is null or (created_at, t.id)
       ${order === 'asc' ? '>' : '<'} (select created_at, id from video_task where id = $2::uuid))
     order by created_at ${order}, t.id ${order} limit $3`,
    [userId, after ?? null, limit],
  )
}

/** Returns the encrypted prompts of a user's tasks, newest first. */
export const listPrompts = (database: Database, userId: string, filter: TaskFilter) =>
  query<Pick<VideoTaskRow, 'id' | 'user_id' | 'team_id' | 'encrypted_prompt'>>(
    database,
    `select id, user_id, team_id, encrypted_prompt from video_task t where ${matchingIn(filter.library)} order by ${NEWEST}`,
    matching(userId, filter),
  )

export async function readVideoTasks(database: Database, ids: readonly string[]): Promise<TaskWithProgress[]> {
  // OFFSET makes PostgreSQL look up each id. Prepared while the table was small, a join would scan it as it grows.
  const sql = `select to_json(found) as row from jsonb_array_elements_text($1::jsonb) as wanted (id)
    cross join lateral (select ${COLUMNS} from ${TASKS} where t.id = wanted.id::uuid offset 0) found`
  const found = await queryPrepared<{ row: TaskWithProgress }>(database, sql, [JSON.stringify(ids)])
  return found.map(({ row }) => row)
}

/** A task that succeeded, or failed without being cancelled. */
export interface EndedTask {
  readonly taskId: string
  readonly userId: string
  readonly succeeded: boolean
  /** ISO instant. */
  readonly finishedAt: string
}

// Most changes are of tasks that have not ended: their rows are looked up, but not sent.
const endedOf = (since: string, wanted: string) => `select found.id as "taskId", found.user_id as "userId",
    found.status = 'Success' as succeeded, to_jsonb(found.finished_at) #>> '{}' as "finishedAt"
  from ${wanted} cross join lateral (
    select id, user_id, status, error_code, finished_at from video_task where id = wanted.id::uuid offset 0) found
  where found.finished_at >= ${since}::timestamptz
    and (found.status = 'Success' or found.status = 'Fail' and found.error_code is distinct from 'cancelled')`
const ENDED_OF = endedOf('$2', 'jsonb_array_elements_text($1::jsonb) as wanted (id)')
// Only the outcomes have an index of the times at which tasks of every status ended.
const ENDED = endedOf('$1', '(select id from task_outcome where ended_at >= $1::timestamptz) wanted')

/** Returns those of the tasks that have ended since an instant. */
export const readNewlyEnded = (database: Database, ids: readonly string[], since: Date) =>
  queryPrepared<EndedTask>(database, ENDED_OF, [JSON.stringify(ids), since.toISOString()])

/** Returns all tasks that have ended since an instant. */
export const readEndedSince = (database: Database, since: Date) =>
  queryPrepared<EndedTask>(database, ENDED, [since.toISOString()])

/**
 * Folds a task's stream into the row that the read model shows once it has caught up; undefined if there is no such
 * task. Progress is not part of the log.
 */
export const foldVideoTask = async (store: Pick<EventStore, 'readStream'>, id: string) =>
  rowAfter(await Array.fromAsync(store.readStream(`${VIDEO_TASK}-${id}`)))

/** Returns the owner of a deleted task, which has no row any more; undefined if it was not deleted. */
export async function readDeletedOwner(store: Pick<EventStore, 'readStream'>, id: string): Promise<string | undefined> {
  for await (const event of store.readStream<VideoTaskEvent>(`${VIDEO_TASK}-${id}`))
    if (event.type === 'VideoTaskDeleted') return event.data.userId
  return undefined
}

/** Folds all events of a task, which need not be stored yet, into a row as {@link foldVideoTask} does. */
export function rowAfter(events: readonly NewEvent[]): TaskWithProgress | undefined {
  // The rows of tasks depend on the data of their events alone.
  const relevant = (events as readonly Stored[]).filter((event) => isRelevant(videoTasks, event))
  const row = relevant.reduce<object | undefined>((row, event) => foldEvent(videoTasks, row, event), undefined)
  return row && { ...(row as VideoTaskRow), percent: null, frame_at: null }
}

/**
 * Returns which of the images may be a picture of a task in any state that was submitted more than a day ago. That is
 * every image while rows are missing.
 */
export async function readImagesInUse(database: Database, imageIds: readonly string[]): Promise<Set<string>> {
  if (!(await includesYesterday(database, videoTasks))) return new Set(imageIds)
  return imagesOf(database, imageIds)
}

/** Returns which of the images are a picture of a task that has not failed. */
export const readImagesOfVideos = (database: Database, imageIds: readonly string[]): Promise<Set<string>> =>
  imagesOf(database, imageIds, `and status <> 'Fail'`)

async function imagesOf(database: Database, imageIds: readonly string[], condition = ''): Promise<Set<string>> {
  const rows = await query<{ id: string }>(
    database,
    // Each condition has an index of its own.
    `select image as id from jsonb_array_elements_text($1::jsonb) as image
     where exists (select from video_task where first_frame = image::uuid ${condition})
       or exists (select from video_task where last_frame = image::uuid ${condition})
       or exists (select from video_task where reference_images @> to_jsonb(image) ${condition})`,
    [JSON.stringify(imageIds)],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Returns the number, total duration in milliseconds and total size in bytes of a user's finished videos. */
export const readWorkStats = (database: Database, userId: string) =>
  queryOne<{ videos: number; duration_ms: number; bytes: number }>(
    database,
    `select count(*)::int as videos, coalesce(sum(video_duration_ms), 0)::float as duration_ms,
       coalesce(sum(video_size), 0)::float as bytes
     from video_task t where (${MINE}) and status = 'Success'`,
    [userId],
  )

/** What a user may do with a film: all, as its maker does; end and delete it, because the user pays; or see it. */
export type Access = 'mine' | 'managed' | 'shown'

/** Who made a film and who paid, and the teams that paid and see it. */
type Owners = Pick<VideoTaskRow, 'user_id' | 'payer_id' | 'team_id' | 'shown_to'>

/**
 * Returns what a user may do with a film; undefined if nothing. The film's row may be newer than the read models.
 * See docs/decisions/0083-films-of-a-team.md.
 */
export async function readAccess(
  database: Database,
  userId: string,
  { user_id: maker, payer_id: payer, team_id: paidBy, shown_to: shownTo }: Owners,
): Promise<Access | undefined> {
  if (maker === userId && (payer === null || payer === userId)) return 'mine'
  if (paidBy === null && shownTo === null) return undefined
  const { of_user, of_maker, seen } = await queryOne<Record<'of_user' | 'of_maker' | 'seen', boolean>>(
    database,
    `select ${inTeam('$1::uuid', '$3::uuid')} as of_user, ${inTeam('$1::uuid', '$4::uuid')} as of_maker,
       ${inTeam('$2::uuid', '$3::uuid')} and ($1::uuid is not null or ${inTeam('$2::uuid', '$4::uuid')}) as seen`,
    [paidBy, shownTo, userId, maker],
  )
  if (maker === userId && of_user) return 'mine'
  if (payer === userId) return of_maker ? (shownTo === null ? undefined : 'managed') : 'mine'
  return seen ? 'shown' : undefined
}

/** Returns the ids of a user's tasks. */
export async function readTaskIds(database: Database, userId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(database, 'select id from video_task where user_id = $1', [userId])
  return rows.map(({ id }) => id)
}

/** Returns the ids of all tasks whose video was delivered. */
export async function readFinishedVideos(client: Queries): Promise<string[]> {
  const { rows } = await client.query(`select id from video_task where status = 'Success'`)
  return (rows as { id: string }[]).map(({ id }) => id)
}
