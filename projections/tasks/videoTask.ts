import { defineEntity, p } from '@mikro-orm/core'
import type { FailureCode, OriginKind, Route, TaskStatus } from '#backend/tasks/contract.ts'
import {
  makerOf,
  UNKNOWN_MAKER,
  VIDEO_TASK,
  VIDEO_TASK_EVENTS,
  type VideoTaskEvent,
  type VideoTaskOrder,
  type VideoTaskRecovered,
  type VideoTaskSucceeded,
} from '#backend/tasks/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A task as shown to its owner, with the prompt still encrypted. */
const VideoTaskTable = defineEntity({
  name: 'VideoTaskRow',
  tableName: 'video_task',
  properties: {
    id: p.uuid().primary(),
    user_id: p.uuid(),
    /** Who pays, and the team of whom. Null in orders without a team. */
    payer_id: p.uuid().nullable(),
    team_id: p.uuid().nullable(),
    /** The team that sees the film; null if who made it does. */
    shown_to: p.uuid().nullable(),
    task_type: p.text(),
    status: p.text().$type<TaskStatus>(),
    model: p.text(),
    /** Providers that may make the video, with their names of the model. Earlier orders have none. */
    routes: p.json<readonly Route[]>(),
    /** The provider that was asked last; null until one is. */
    engine: p.text().nullable(),
    engine_model: p.text().nullable(),
    duration: p.integer(),
    resolution: p.text(),
    encrypted_prompt: p.text(),
    camera_movements: p.json<readonly string[]>(),
    prompt_optimizer: p.boolean(),
    first_frame: p.uuid().nullable(),
    last_frame: p.uuid().nullable(),
    reference_images: p.json<readonly string[]>().nullable(),
    aspect_ratio: p.text().nullable(),
    seed: p.integer().nullable(),
    encrypted_negative_prompt: p.text().nullable(),
    sound: p.boolean().nullable(),
    made_from: p.json<readonly MadeFrom[]>().nullable(),
    /** Price of the task, unchanged by a refund. */
    credits: p.integer(),
    /** Credits charged; 0 after a refund. */
    credits_consumed: p.integer(),
    priority: p.integer(),
    created_at: p.datetime(),
    started_at: p.datetime().nullable(),
    finished_at: p.datetime().nullable(),
    error_code: p.text().$type<FailureCode>().nullable(),
    /** What the engine said of a failure. For the operator: it may name the engine’s own settings. */
    error_detail: p.text().nullable(),
    video_size: p.bigint('number').nullable(),
    video_duration_ms: p.integer().nullable(),
  },
})
export type VideoTaskRow = RowOf<typeof VideoTaskTable>

/** A film that another one was made from. Seconds: the part of a clip. */
export type MadeFrom = Readonly<{ id: string; how: OriginKind; start?: number; end?: number }>

function madeFrom({ join, source, from }: VideoTaskOrder): readonly MadeFrom[] | null {
  if (join) return join.clips.map(({ taskId: id, ...part }) => ({ id, how: 'join', ...part }))
  if (source) return [{ id: source.taskId, how: 'regenerate' }]
  return from ? [{ id: from.taskId, how: from.as === 'take' ? 'again' : from.as }] : null
}

const moved = (status: TaskStatus) => (row: VideoTaskRow | undefined) => row && { ...row, status }
const same = (row: VideoTaskRow | undefined) => row
const DELIVERED = { status: 'Success', error_code: null, error_detail: null } as const
const delivered = (row: VideoTaskRow | undefined, { data: { at, file } }: VideoTaskSucceeded | VideoTaskRecovered) =>
  row && { ...row, ...DELIVERED, finished_at: at, video_size: file.size, video_duration_ms: file.durationMs }

export const videoTasks: Projection<VideoTaskEvent, VideoTaskRow> = {
  name: 'videoTasks',
  version: 6,
  table: VideoTaskTable,
  categories: [VIDEO_TASK],
  schemas: VIDEO_TASK_EVENTS,
  row: (event) => event.data.taskId,
  on: {
    VideoTaskSubmitted: (_, { data }) => ({
      id: data.taskId,
      user_id: data.userId,
      payer_id: data.payerId ?? null,
      team_id: data.teamId ?? null,
      shown_to: data.shownTo ?? null,
      task_type: data.join ? 'join' : data.taskType,
      status: 'Preparing',
      model: data.model,
      routes: data.routes,
      ...UNKNOWN_MAKER,
      duration: data.duration,
      resolution: data.resolution,
      encrypted_prompt: data.encryptedPrompt,
      camera_movements: data.cameraMovements,
      prompt_optimizer: data.promptOptimizer,
      first_frame: data.firstFrame,
      last_frame: data.lastFrame ?? null,
      reference_images: data.references ?? null,
      aspect_ratio: data.aspectRatio ?? null,
      seed: data.seed ?? null,
      encrypted_negative_prompt: data.encryptedNegativePrompt ?? null,
      sound: data.sound ?? null,
      made_from: madeFrom(data),
      credits: data.credits,
      credits_consumed: data.credits,
      priority: data.priority,
      created_at: data.at,
      started_at: null,
      finished_at: null,
      error_code: null,
      error_detail: null,
      video_size: null,
      video_duration_ms: null,
    }),
    VideoTaskQueued: moved('Queueing'),
    VideoRenderRequested: (row, { data: { provider, engineModel } }) => {
      if (!row) return row
      const maker = makerOf(provider, row.routes)
      return { ...row, status: 'Queueing', ...maker, engine_model: engineModel ?? maker.engine_model }
    },
    VideoTaskClaimed: same,
    VideoRenderPostponed: (row) => row && { ...row, status: 'Queueing', ...UNKNOWN_MAKER },
    VideoRenderAccepted: same,
    VideoRenderFound: same,
    VideoCancelRequested: same,
    VideoCostReported: same,
    VideoRenderStarted: (row, { data }) => row && { ...row, status: 'Processing', started_at: data.at },
    VideoDownloadStarted: moved('DOWNLOADING'),
    VideoTaskSucceeded: delivered,
    VideoTaskFailed: (row, { data }) =>
      row && {
        ...{ ...row, status: 'Fail', finished_at: data.at, credits_consumed: 0 },
        ...{ error_code: data.code, error_detail: data.detail },
      },
    VideoTaskRecovered: delivered,
    VideoRecoveryEnded: same,
    VideoTaskAbandoned: same,
    VideoVisibilitySet: (row, { data }) => row && { ...row, shown_to: data.shownTo },
    VideoTaskDeleted: () => undefined,
  },
}
