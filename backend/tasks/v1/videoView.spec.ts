import { expect, it } from 'vitest'
import type { Task } from '../contract.ts'
import { videoView } from './videoView.ts'

const task = {
  url: '/film/id',
  status: 'Preparing',
  created_at: '2026-01-01T00:00:00.000Z',
  duration: 6,
  resolution: '768P',
} as Task
const at = (status: Task['status'], progress: number | null = null) =>
  videoView({ ...task, status, progress, error_code: null }, null, 'https://kinora.test')

it('a video has one of four statuses, and a progress that never goes back', () => {
  const seen = [
    at('Preparing'),
    at('Queueing'),
    at('Processing', 0),
    at('Processing', 93.7),
    at('DOWNLOADING'),
    at('Success'),
  ]
  expect(seen.map(({ status, progress }) => [status, progress])).toEqual([
    ...[
      ['queued', 0],
      ['queued', 0],
      ['in_progress', 0],
      ['in_progress', 93],
      ['in_progress', 99],
      ['completed', 100],
    ],
  ])
})

it('a render that says 100 is not finished yet', () => expect(at('Processing', 100).progress).toBe(99))

it('a failed video names its error', () => {
  const failed = { ...task, status: 'Fail', error_code: 'cancelled', error_message: 'The task was cancelled.' } as Task
  expect(videoView(failed, null, 'https://kinora.test')).toMatchObject({
    page_url: 'https://kinora.test/film/id',
    ...{ status: 'failed', error: { code: 'cancelled', message: 'The task was cancelled.' } },
  })
})
