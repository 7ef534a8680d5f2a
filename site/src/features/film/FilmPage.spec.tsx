import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { Film } from './FilmPage.tsx'

const FAILED = {
  ...{ id: '1', task_type: 'text_to_video', model: 'MiniMax-Hailuo-02', prompt: 'A fox', status: 'Fail' },
  ...{ duration: 6, resolution: '768P', camera_movements: [], made_from: [], video_duration: null, file_size: null },
  ...{ seed: null, engine: null, engine_model: null },
  ...{ created_at: '2026-01-01T00:00:00.000Z', url: '/film/1' },
} as unknown as Task
const page = (film: Partial<Task>) => renderToStaticMarkup(<Film film={{ ...FAILED, ...film }} />)

it('the page of a film that failed names the length or the size that was refused', () => {
  expect(page({ error_code: 'length_refused' })).toContain('This model can’t make videos of 6 s.')
  expect(page({ error_code: 'size_refused' })).toContain('This model can’t make videos in 768P ')
})

it('the page of a film that failed does not offer to watch it', () => {
  expect(page({ error_code: 'cancelled' })).not.toContain('Watch it')
  expect(page({ status: 'Processing', error_code: null })).toContain('Watch it')
})
