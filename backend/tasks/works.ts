import { readSpent } from '#projections/credits/readCreditEntries.ts'
import { readCredits } from '#projections/credits/readCredits.ts'
import { readLineage } from '#projections/tasks/readLineage.ts'
import { readLiveFrame } from '#projections/tasks/readLiveFrame.ts'
import {
  type Access,
  foldVideoTask,
  listPrompts,
  listVideoTasks,
  listVideoTasksAfter,
  readAccess,
  readVideoTasks,
  readWorkStats,
  type TaskFilter,
  type TaskWithProgress,
} from '#projections/tasks/readVideoTasks.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid } from '../kernel/eventsourcing/uuid7.ts'
import { API_BASE } from '../kernel/http/contract.ts'
import { instant } from '../kernel/http/instant.ts'
import { must } from '../kernel/must.ts'
import { asOwned, type Owned } from '../kernel/ownership.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Calendar, Clock } from '../kernel/time.ts'
import { engineName, type FailureCode, type Task, type WorkStats } from './contract.ts'
import { aboutNegativePrompt, aboutPrompt, type Decrypt } from './promptCipher.port.ts'
import { readQueueView } from './queue.ts'

export interface WorksDeps {
  readonly store: EventStore
  readonly database: Database
  readonly clock: Clock
  readonly calendar: Calendar
  readonly decrypt: Decrypt
  /** Returns the name of a user; undefined if the account was deleted. */
  readonly nameOf: (userId: string) => Promise<string | undefined>
  readonly allowance: (userId: string) => Promise<{ openTasks: number; concurrent: number }>
  /** Maximum number of concurrent renders across all users. */
  readonly renderSlots: number
  /** Renders that the providers together let start in a minute; undefined if one of them has no limit. */
  readonly createsPerMinute?: number | undefined
  /** Milliseconds that a render is expected to take before any video is finished. */
  readonly firstEstimateMs: number
}

export interface WorksQuery extends TaskFilter {
  /** Text to search for in the prompt, ignoring case. */
  readonly text?: string | undefined
  readonly page: number
  readonly perPage: number
}

export type Works = ReturnType<typeof createWorks>

/** Creates the API's read side of tasks: lists, statistics and the queue. */
export function createWorks(deps: WorksDeps) {
  const { database, clock, calendar, decrypt, allowance, renderSlots, createsPerMinute, firstEstimateMs } = deps
  const access = createAccess(deps)
  const { readShown } = access

  return {
    ...access,

    /** Returns the picture so far of a user's running render as a JPEG. @throws Rejection not_found, forbidden */
    async readLiveFrame(userId: string, taskId: string): Promise<Buffer> {
      const { id } = await readShown(userId, taskId)
      const frame = await readLiveFrame(database, id)
      if (!frame) throw new Rejection('not_found', 'There is no picture of this render.')
      return frame
    },

    /** Returns one page of a user's tasks, newest first, and the total number of matching tasks. */
    async list(userId: string, query: WorksQuery) {
      const { tasks, total } = await listPage(database, decrypt, userId, query)
      return { tasks: await namedViews(deps, userId, tasks), total }
    },

    /**
     * Returns up to `limit` rows of a user's tasks in the order of their creation, after the task `after` if there is one;
     * undefined if that does not exist.
     */
    listAfter: async (userId: string, place: Parameters<typeof listVideoTasksAfter>[2]) =>
      place.after !== undefined && !isUuid(place.after) ? undefined : listVideoTasksAfter(database, userId, place),

    shown: (userId: string, ids: readonly string[]) => shownFilms(database, decrypt, userId, ids),
    lineage: (userId: string, task: Owned<TaskWithProgress>) => lineageOf(database, decrypt, userId, task),

    async queue(userId: string) {
      const limits = { slots: renderSlots, createsPerMinute, firstEstimateMs, ...(await allowance(userId)) }
      return readQueueView(database, { userId, now: clock(), ...limits })
    },

    stats: (userId: string) => readStats(database, new Date(calendar()), userId),
  }
}

/** Creates what reads one task, for those who may see it, end it, or do all with it. */
function createAccess(deps: WorksDeps) {
  const readAs = (accepted: readonly Access[]) => (userId: string, taskId: string) =>
    readTask(deps, userId, taskId, accepted)
  const readOwn = readAs(['mine'])
  const readShown = readAs(['mine', 'managed', 'shown'])

  return {
    readOwn,
    /** Returns the row of a task that a user may cancel and delete: one that is the user's, or that the user's team sees. */
    readManaged: readAs(['mine', 'managed']),
    /** Returns the row of a task that a user may see. */
    readShown,

    /** Returns the row of a user's finished task. @throws Rejection not_found, forbidden */
    readFinished: async (userId: string, taskId: string) => finished(await readOwn(userId, taskId)),

    /** Returns the row of a finished task that a user may see. @throws Rejection not_found, forbidden */
    readFinishedShown: async (userId: string, taskId: string) => finished(await readShown(userId, taskId)),

    /** Returns the row of a finished task that its maker, or who paid, has shared. @throws Rejection not_found */
    async readShared(taskId: string): Promise<TaskWithProgress> {
      const row = await findTask(deps, taskId)
      if (!row) throw new Rejection('not_found', 'This task does not exist.')
      return finished(row)
    },

    view: (row: TaskWithProgress) => taskView(row, deps.decrypt),

    /** Returns a task as a user sees it, with the name of who made it. */
    viewFor: async (userId: string, row: TaskWithProgress) => must((await namedViews(deps, userId, [row]))[0], 'view'),
  }
}

type Stores = Pick<WorksDeps, 'database' | 'store'>

/** Returns the row of a task. One that the read model does not show yet is in the log. */
const findTask = async ({ database, store }: Stores, taskId: string): Promise<TaskWithProgress | undefined> =>
  isUuid(taskId) ? ((await readVideoTasks(database, [taskId]))[0] ?? (await foldVideoTask(store, taskId))) : undefined

/** Returns the row of a task to which a user has one of the accesses. @throws Rejection not_found, forbidden */
async function readTask(stores: Stores, userId: string, taskId: string, accepted: readonly Access[]) {
  const row = await findTask(stores, taskId)
  if (!row) throw new Rejection('not_found', 'This task does not exist.')
  const access = await readAccess(stores.database, userId, row)
  if (!access || !accepted.includes(access)) throw new Rejection('forbidden', 'This task belongs to someone else.')
  return asOwned(row)
}

/** @throws Rejection not_found */
function finished<Row extends TaskWithProgress>(row: Row): Row {
  if (row.status !== 'Success') throw new Rejection('not_found', 'Video file does not exist, cannot download')
  return row
}

/** Returns the rows of those films that a user may see. */
async function seenBy(database: Database, userId: string, rows: readonly TaskWithProgress[]) {
  const seen = await Promise.all(rows.map((row) => readAccess(database, userId, row)))
  return rows.filter((_, n) => seen[n])
}

/** Returns tasks as a user sees them, with the names of who made them. */
async function namedViews(
  { nameOf, decrypt }: Pick<WorksDeps, 'nameOf' | 'decrypt'>,
  userId: string,
  rows: readonly TaskWithProgress[],
): Promise<Task[]> {
  const makers = [...new Set(rows.map((row) => row.user_id))].filter((id) => id !== userId)
  const names = new Map(await Promise.all(makers.map(async (id) => [id, (await nameOf(id)) ?? ''] as const)))
  return Promise.all(
    rows.map(async (row) => {
      const name = names.get(row.user_id)
      const task = await taskView(row, decrypt)
      return name === undefined ? task : { ...task, ...WITHOUT_PICTURES, by: { id: row.user_id, name } }
    }),
  )
}

/** The pictures of an order stay with who uploaded them. */
const WITHOUT_PICTURES = { first_frame_image_url: null, last_frame_image_url: null, reference_image_urls: [] }

/** Returns what a list shows of a user's films among these, by their ids. */
async function shownFilms(database: Database, decrypt: Decrypt, userId: string, ids: readonly string[]) {
  const rows = await seenBy(database, userId, await readVideoTasks(database, [...new Set(ids)]))
  const tasks = await Promise.all(rows.map((row) => taskView(row, decrypt)))
  return new Map(tasks.map(({ id, prompt, thumbnail_url }) => [id, { prompt, thumbnail_url }]))
}

/** Returns the films of the user that a film is related to, in the order of {@link readLineage}. */
async function lineageOf(
  database: Database,
  decrypt: Decrypt,
  userId: string,
  { id, user_id: maker }: Owned<TaskWithProgress>,
) {
  const ids = await readLineage(database, maker, id)
  const rows = new Map((await readVideoTasks(database, ids)).map((row) => [row.id, row]))
  const seen = await seenBy(
    database,
    userId,
    ids.flatMap((each) => rows.get(each) ?? []),
  )
  return { films: await Promise.all(seen.map((row) => taskView(row, decrypt))) }
}

async function readStats(database: Database, today: Date, userId: string): Promise<WorkStats> {
  const month = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth())).toISOString()
  const [figures, spent, { remaining, used }] = await Promise.all([
    readWorkStats(database, userId),
    readSpent(database, userId, month),
    readCredits(database, userId, today.toISOString()),
  ])
  return {
    total_videos: figures.videos,
    total_duration: Math.round(figures.duration_ms / 1000),
    storage_used: figures.bytes,
    credits_remaining: remaining,
    credits_used: used,
    usage_this_month: spent,
  }
}

/** Returns the rows of one page, newest first, and the total number of matching tasks. */
const listPage = (database: Database, decrypt: Decrypt, userId: string, { text, ...query }: WorksQuery) =>
  text ? searchPrompts(database, decrypt, userId, { ...query, text }) : listVideoTasks(database, userId, query)

const fold = (text: string) => text.normalize('NFKC').toLowerCase()

/** Searches prompts in memory, because the database stores only ciphertext. */
async function searchPrompts(
  database: Database,
  decrypt: Decrypt,
  userId: string,
  { text, page, perPage, ...filter }: WorksQuery & { readonly text: string },
): Promise<{ tasks: TaskWithProgress[]; total: number }> {
  const wanted = fold(text)
  const found: string[] = []
  for (const { id, encrypted_prompt: prompt, ...row } of await listPrompts(database, userId, filter))
    if (fold((await decrypt(aboutPrompt(makerOf(row), id), prompt)) ?? '').includes(wanted)) found.push(id)
  const shown = found.slice((page - 1) * perPage, page * perPage)
  const rows = new Map((await readVideoTasks(database, shown)).map((row) => [row.id, row]))
  return { tasks: shown.flatMap((id) => rows.get(id) ?? []), total: found.length }
}

/** English messages, for clients that do not translate the failure code themselves. */
const MESSAGES: Readonly<Record<FailureCode, string>> = {
  cancelled: 'The task was cancelled.',
  content_refused: 'The description or the picture was refused as sensitive.',
  image_unreadable: 'The picture could not be read.',
  clip_missing: 'A clip of this film was deleted.',
  provider_failed: 'The video could not be made.',
  provider_unavailable: 'The video service is not available.',
  engine_out_of_memory: 'The engine ran out of memory. Try a shorter video or a smaller size.',
  settings_refused: 'The engine cannot make a video with these settings.',
  length_refused: 'This model cannot make videos of this length.',
  size_refused: 'This model cannot make videos of this resolution or shape.',
  model_not_ready: 'The engine lacks a part of this model.',
  answer_lost: 'The answer of the video service was lost. If the video still arrives, it is free.',
  render_timed_out: 'The video took too long.',
  waited_too_long: 'The task waited too long for its turn.',
  internal: 'Something went wrong on our side.',
}

/** Returns whose key encrypts the texts of a film. */
const makerOf = (row: Pick<TaskWithProgress, 'user_id' | 'team_id'>) => ({ userId: row.user_id, teamId: row.team_id })

/** Converts a row to its API representation. The prompt is empty if it cannot be decrypted. */
export async function taskView(row: TaskWithProgress, decrypt: Decrypt): Promise<Task> {
  const done = row.status === 'Success'
  const isRunning = row.status === 'Processing' || row.status === 'DOWNLOADING'
  const negative = row.encrypted_negative_prompt
  const url = (kind: string, id: string) => `${API_BASE}/videos/${kind}/${id}`
  return {
    id: row.id,
    url: `/film/${row.id}`,
    task_type: row.task_type as Task['task_type'],
    status: row.status,
    model: row.model as Task['model'],
    engine: row.engine && engineName(row.engine),
    engine_model: row.engine_model,
    duration: row.duration,
    resolution: row.resolution as Task['resolution'],
    prompt: (await decrypt(aboutPrompt(makerOf(row), row.id), row.encrypted_prompt)) ?? '',
    camera_movements: [...row.camera_movements] as Task['camera_movements'],
    prompt_optimizer: row.prompt_optimizer,
    first_frame_image_url: row.first_frame && url('images', row.first_frame),
    last_frame_image_url: row.last_frame && url('images', row.last_frame),
    reference_image_urls: (row.reference_images ?? []).map((id) => url('images', id)),
    aspect_ratio: row.aspect_ratio,
    seed: row.seed,
    negative_prompt: negative && ((await decrypt(aboutNegativePrompt(makerOf(row), row.id), negative)) ?? null),
    sound: row.sound,
    video_url: done ? url('preview', row.id) : null,
    thumbnail_url: done ? url('thumbnail', row.id) : null,
    live_frame_url: isRunning && row.frame_at !== null ? `${url('tasks', row.id)}/frame?at=${row.frame_at}` : null,
    video_duration: row.video_duration_ms === null ? null : row.video_duration_ms / 1000,
    file_size: row.video_size,
    credits_consumed: row.credits_consumed,
    created_at: instant(row.created_at),
    made_from: (row.made_from ?? []).map((from) => ({ ...from })),
    error_code: row.error_code,
    error_message: row.error_code && MESSAGES[row.error_code],
    progress: row.status === 'Processing' ? (row.percent ?? 0) : null,
    team_id: row.team_id,
    visibility: row.shown_to === null ? 'private' : 'team',
    by: null,
  }
}
