import { readSpent } from '#projections/credits/readCreditEntries.ts'
import { readCredits } from '#projections/credits/readCredits.ts'
import { listVideoTasks, readVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import { readWorkStats } from '#projections/tasks/readWorkStats.ts'
import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { isUuid, uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { withIdempotencyKey } from '../kernel/http/idempotency.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { Realtime } from '../kernel/http/realtime.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import * as contract from './contract.ts'
import { type GenerateDeps, generateVideo, TaskGivenUp } from './generate.ts'
import type { ImageUploads } from './imageUploads.ts'
import { queueView } from './queueView.ts'
import { searchWorks } from './searchWorks.ts'
import { taskView } from './taskView.ts'
import { isCharged, videoTask } from './videoTask.decider.ts'

export interface TaskRoutes extends GenerateDeps {
  readonly database: Database
  readonly changes: Changes
  readonly realtime: Realtime
  readonly images: ImageUploads
  readonly decrypt: (userId: string, sealed: string) => Promise<string | undefined>
  readonly release: (
    userId: string,
    taskId: string,
    reason: string,
    origin?: { readonly correlationId: string },
  ) => Promise<Parameters<Changes['waitFor']>[1]>
  /** Tasks that can be made at once, of everyone's. */
  readonly renderSlots: number
  /** The calendar's time. */
  readonly calendar: () => number
  readonly removeMedia: (taskId: string) => Promise<void>
}

/** The user's own task. @throws Rejection not_found, forbidden */
export async function ownTask(database: Database, userId: string, taskId: string) {
  const [row] = isUuid(taskId) ? await readVideoTasks(database, [taskId]) : []
  if (!row) throw new Rejection('not_found', 'This task does not exist.')
  if (row.user_id !== userId) throw new Rejection('forbidden', 'This task belongs to someone else.')
  return row
}

export function serveTasks(serve: Serve, deps: TaskRoutes): void {
  const { database, changes, handle, images, decrypt, allowance, now } = deps

  serve(contract.generate, async ({ body, userId, ctx, command }) => {
    const key = ctx.get('Idempotency-Key') || uuid7()
    if (key.length > 200) throw new ValidationError([{ path: 'Idempotency-Key', code: 'too_long' }])
    const isLost = (error: unknown) => error instanceof TaskGivenUp
    const { taskId, task } = await withIdempotencyKey(database, { userId, key, body, isLost }, async (taskId) => {
      const isImage = body.task_type === 'image_to_video'
      const firstFrame = isImage ? await images.owned(userId, body.first_frame_image_url ?? '') : null
      const submission = { userId, taskId, generation: body, firstFrame }
      const context = command(derivedId('generate', taskId))
      const { heldAt, submittedAt, task } = await generateVideo(deps, submission, context)
      await Promise.all([changes.waitFor(['videoTasks'], submittedAt), changes.waitFor(['creditBalances'], heldAt)])
      return { taskId, task }
    })
    if (task.status === 'deleted') throw new Rejection('not_found', 'This task was deleted.')
    const [row] = await readVideoTasks(database, [taskId])
    if (!row)
      throw new Rejection('unavailable', 'The task was accepted; its state cannot be read yet.', { retryAfter: 1 })
    return { task: await taskView(row, decrypt) }
  })

  serve(contract.listTasks, async ({ userId, query }) => {
    const { page, per_page: perPage, status_filter: status } = query
    const { tasks, total } = await listVideoTasks(database, userId, { page, perPage, status })
    return { tasks: await Promise.all(tasks.map((row) => taskView(row, decrypt))), total }
  })

  serve(contract.myWorks, async ({ userId, query }) => {
    const { page, per_page: perPage, task_type: taskType, model, from, to, q: text } = query
    const filter = { status: 'Success', taskType, model, from: startOf(from), before: endOf(to) }
    const { tasks, total } = await searchWorks(database, decrypt, userId, { filter, text, page, perPage })
    return { tasks: await Promise.all(tasks.map((row) => taskView(row, decrypt))), total }
  })

  serve(contract.getTask, async ({ userId, params }) => taskView(await ownTask(database, userId, params.id), decrypt))

  const remove = async (userId: string, taskId: string, context: CommandContext) => {
    await ownTask(database, userId, taskId)
    const at = new Date(now()).toISOString()
    const { state, position } = await handle(videoTask, taskId, { type: 'Delete', at }, context)
    const released = isCharged(state)
      ? undefined
      : await deps.release(userId, taskId, 'cancelled', { correlationId: context.correlationId })
    await deps.removeMedia(taskId)
    await Promise.all([changes.waitFor(['videoTasks'], position), changes.waitFor(['creditBalances'], released)])
    return undefined
  }
  serve(contract.deleteTask, ({ userId, params: { id }, command }) =>
    remove(userId, id, command(derivedId('delete', id))),
  )
  serve(contract.deleteTaskAlias, ({ userId, params: { id }, command }) =>
    remove(userId, id, command(derivedId('delete', id))),
  )

  serve(contract.getQueue, async ({ userId }) => {
    const allowed = await allowance(userId)
    return queueView(database, { userId, slots: deps.renderSlots, now: now(), ...allowed })
  })

  serve(contract.workStats, async ({ userId }) => {
    const today = new Date(deps.calendar())
    const month = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth())).toISOString()
    const [figures, spent, { remaining }] = await Promise.all([
      readWorkStats(database, userId),
      readSpent(database, userId, month),
      readCredits(database, userId, today.toISOString()),
    ])
    return {
      total_videos: figures.videos,
      total_duration: Math.round(figures.duration_ms / 1000),
      storage_used: figures.bytes,
      credits_remaining: remaining,
      credits_used: spent.total,
      usage_this_month: spent.since,
    }
  })

  serve(contract.listModels, () => contract.MODELS.map(modelView))

  serve(contract.socketToken, async ({ userId }) => ({ token: await deps.realtime.issueToken(userId) }))
}

const DAY_MS = 24 * 60 * 60 * 1000
const isDay = (moment: string) => moment.length === 10
const startOf = (moment: string | undefined) => moment && new Date(moment).toISOString()
/** The first instant behind it. */
const endOf = (moment: string | undefined) =>
  moment && new Date(Date.parse(moment) + (isDay(moment) ? DAY_MS : 1)).toISOString()

const modelView = ({ name, cameraMovements, shapes }: contract.Model) => ({
  name,
  supports_camera_movement: cameraMovements,
  supports_text_to_video: shapes.some(({ taskTypes }) => taskTypes.includes('text_to_video')),
  supports_image_to_video: shapes.some(({ taskTypes }) => taskTypes.includes('image_to_video')),
  durations: [...new Set(shapes.map(({ duration }) => duration))],
  resolutions: [...new Set(shapes.map(({ resolution }) => resolution))],
  costs: shapes.map(({ taskTypes, ...shape }) => ({ task_types: [...taskTypes], ...shape })),
})
