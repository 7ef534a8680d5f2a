import { describe, expect, it } from 'vitest'
import type { VideoTaskEvent } from '#backend/tasks/events.ts'
import { rowsOf } from '../testing/rowsOf.ts'
import { taskEvents, taskFailed } from '../testing/taskEvents.ts'
import { type VideoTaskRow, videoTasks } from './videoTask.ts'

const e = taskEvents('task', 'user')
const row = (...events: readonly VideoTaskEvent[]) => rowsOf(videoTasks, ...events)
const fresh = {
  id: 'task',
  user_id: 'user',
  payer_id: null,
  team_id: null,
  shown_to: null,
  task_type: 'image_to_video',
  status: 'Preparing',
  model: 'MiniMax-Hailuo-02',
  routes: e.submitted.data.routes,
  made_from: null,
  engine: null,
  engine_model: null,
  duration: 6,
  resolution: '768P',
  encrypted_prompt: 'sealed',
  camera_movements: ['左移', '固定'],
  prompt_optimizer: false,
  first_frame: '00000000-0000-7000-8000-00000000000f',
  last_frame: null,
  reference_images: null,
  aspect_ratio: null,
  seed: null,
  encrypted_negative_prompt: null,
  sound: null,
  credits: 30,
  credits_consumed: 30,
  priority: 4,
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: null,
  finished_at: null,
  error_code: null,
  error_detail: null,
  video_size: null,
  video_duration_ms: null,
}
const started = { started_at: '2026-01-01T00:00:04.000Z' }
const maker = { engine: 'demo', engine_model: 'Kinora demo' }
const file = { video_size: 1234, video_duration_ms: 5_880 }
const course = [e.submitted, e.queued, e.requested, e.accepted, e.started, e.downloading]
const failed = taskFailed('task', 'user', 'render_timed_out', 'job')
const asFailed = {
  ...fresh,
  ...maker,
  ...started,
  status: 'Fail',
  finished_at: '2026-01-01T00:00:07.000Z',
  error_code: 'render_timed_out',
  error_detail: 'why',
  credits_consumed: 0,
}

describe("a task's row", () => {
  it('passes through its statuses in order', () => {
    const statuses = course.map((_, last) => row(...course.slice(0, last + 1)))
    expect(statuses).toEqual(
      ['Preparing', 'Queueing', 'Queueing', 'Queueing', 'Processing', 'DOWNLOADING'].map((status, n) => [
        { ...fresh, status, ...(n >= 2 && maker), ...(n >= 4 && started) },
      ]),
    )
  })
  it('keeps the pictures and settings of its order', () => {
    const settings = {
      ...{ lastFrame: 'end', references: ['a', 'b'], aspectRatio: '9:16', seed: 7 },
      ...{ encryptedNegativePrompt: 'hidden', sound: false },
    }
    expect(row({ ...e.submitted, data: { ...e.submitted.data, ...settings } })).toEqual([
      {
        ...{ ...fresh, last_frame: 'end', reference_images: ['a', 'b'], aspect_ratio: '9:16', seed: 7 },
        ...{ encrypted_negative_prompt: 'hidden', sound: false },
      },
    ])
  })
  describe('names what makes the video', () => {
    const routes = [
      { provider: 'minimax', model: 'MiniMax-Hailuo-02' },
      { provider: 'fal', model: 'fal-ai/minimax/hailuo-02' },
      { provider: 'demo', model: 'MiniMax-Hailuo-02' },
    ]
    const ordered = { ...e.submitted, data: { ...e.submitted.data, routes } }
    const asked = (provider: string, engineModel?: string) =>
      ({ ...e.requested, data: { ...e.requested.data, provider, engineModel } }) as VideoTaskEvent
    const makerAfter = (...events: readonly VideoTaskEvent[]) =>
      row(...events).map((made) => {
        const { engine, engine_model } = made as VideoTaskRow
        return [engine, engine_model]
      })

    it('as the request recorded it', () => {
      expect(makerAfter(ordered, asked('demo', 'Kinora demo'), e.started, e.succeeded)).toEqual([
        ['demo', 'Kinora demo'],
      ])
    })
    it.each([
      ['minimax', 'MiniMax-Hailuo-02'],
      ['fal', 'fal-ai/minimax/hailuo-02'],
      ['demo', 'Kinora demo'],
      ['elsewhere', null],
    ])('from the order, for an earlier request to %s', (provider, model) => {
      expect(makerAfter(ordered, asked(provider), e.succeeded)).toEqual([[provider, model]])
    })
    it('not before a provider is asked', () => {
      expect(makerAfter(ordered, e.queued)).toEqual([[null, null]])
    })
    it('as the last provider that was asked', () => {
      expect(makerAfter(ordered, asked('minimax'), e.postponed)).toEqual([[null, null]])
      expect(makerAfter(ordered, asked('minimax'), e.postponed, asked('fal'))).toEqual([
        ['fal', 'fal-ai/minimax/hailuo-02'],
      ])
    })
  })
  it('returns to the queue when the provider postpones it', () => {
    expect(row(e.submitted, e.queued, e.requested, e.postponed)).toEqual([{ ...fresh, status: 'Queueing' }])
  })
  it('has the file and the price after a success', () => {
    expect(row(...course, e.succeeded)).toEqual([
      { ...fresh, ...maker, ...started, ...file, status: 'Success', finished_at: '2026-01-01T00:00:06.000Z' },
    ])
  })
  it('has the error code and no cost after a failure', () => {
    expect(row(...course, failed)).toEqual([asFailed])
    expect(row(...course, failed, e.found, e.recoveryEnded)).toEqual([asFailed])
  })
  it('has no error code and no cost after a late success', () => {
    expect(row(...course, failed, e.recovered, e.recoveryEnded)).toEqual([
      {
        ...fresh,
        ...maker,
        ...started,
        ...file,
        status: 'Success',
        finished_at: '2026-01-01T00:00:08.000Z',
        credits_consumed: 0,
      },
    ])
  })
  it('is deleted with the task', () => {
    expect(row(...course, e.succeeded, e.deleted)).toEqual([])
  })
  it('is not created for an abandoned task', () => {
    expect(row(e.abandoned)).toEqual([])
    expect(row(e.queued, e.started, failed, e.recovered)).toEqual([])
  })
})
