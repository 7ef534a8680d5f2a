import { describe, expect, it } from 'vitest'
import type { Task } from '#backend/tasks/contract.ts'
import { $models, type FormModel } from '../../api/models.ts'
import { otherModel } from './remix.ts'

const base = $models.get().find(({ id }) => id === 'MiniMax-Hailuo-02')!
const model = (id: string, engine: string, more: Partial<FormModel> = {}): FormModel => ({
  ...{ ...base, id, engines: [engine] },
  ...more,
})
const FAILED = {
  ...{ status: 'Fail', error_code: 'engine_out_of_memory', model: 'first', engine: 'videos_api' },
  ...{ task_type: 'text_to_video', resolution: '768P', duration: 6, aspect_ratio: null, seed: null, sound: null },
  ...{ last_frame_image_url: null, negative_prompt: null, reference_image_urls: [], camera_movements: [] },
} as unknown as Task
const idFor = (task: Partial<Task>, ...models: FormModel[]) =>
  otherModel({ ...FAILED, ...task }, [model('first', 'videos_api'), ...models])?.id

describe('the model of another try', () => {
  it('is one that takes the same order, on another engine if there is one', () => {
    expect(idFor({})).toBeUndefined()
    expect(idFor({}, model('second', 'videos_api'))).toBe('second')
    expect(idFor({}, model('second', 'videos_api'), model('third', 'comfyui'))).toBe('third')
  })
  it('takes everything that was ordered', () => {
    const plain = { seed: false, negativePrompt: false, sound: false, cameraMovements: false, aspectRatios: [] }
    const other = model('second', 'comfyui', {
      ...plain,
      inputs: { firstFrame: true, lastFrame: false, references: 0 },
    })
    expect(idFor({}, other)).toBe('second')
    for (const task of [
      { duration: 5 },
      { resolution: '4K' },
      { seed: 7 },
      { sound: true },
      { aspect_ratio: '4:3' },
      { negative_prompt: 'blur' },
      { camera_movements: ['推进'] },
      { last_frame_image_url: '/last' },
      { reference_image_urls: ['/one'] },
    ] as Partial<Task>[])
      expect(idFor(task, other), JSON.stringify(task)).toBeUndefined()
  })
  it('is never the demo', () => expect(idFor({}, model('second', 'demo'))).toBeUndefined())
  it.each(['cancelled', 'content_refused', 'image_unreadable'] as const)('is none after %s', (error_code) => {
    expect(idFor({ error_code }, model('second', 'comfyui'))).toBeUndefined()
  })
  it('is none for a video that did not fail', () => {
    expect(idFor({ status: 'Success', error_code: null }, model('second', 'comfyui'))).toBeUndefined()
  })
})
