import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { generationOf } from './contract.ts'
import { catalogueDouble } from './testing/shippedModels.ts'

const Generation = generationOf(catalogueDouble.offered)

const valid = {
  task_type: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  prompt: 'A cat on a hill',
  duration: 6,
  resolution: '768P',
}
const picture = '/api/v1/videos/images/00000000-0000-7000-8000-000000000000'
const image = { ...valid, task_type: 'image_to_video', first_frame_image_url: picture }

const faults = (input: unknown) => {
  const result = z.safeParse(Generation, input)
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

describe('the body of a generation', () => {
  it('gets defaults for missing fields', () => {
    expect(z.parse(Generation, valid)).toEqual({ ...valid, camera_movements: [], prompt_optimizer: true })
  })
  it('is normalised', () => {
    const spaced = { ...valid, prompt: '  A cat ', resolution: '1366x768', unknown: 1 }
    expect(z.parse(Generation, spaced)).toEqual({
      ...valid,
      prompt: 'A cat',
      camera_movements: [],
      prompt_optimizer: true,
    })
  })
  it('needs no prompt with a picture', () => {
    const { prompt: _, ...promptless } = image
    expect(z.parse(Generation, promptless)).toEqual({
      ...image,
      prompt: '',
      camera_movements: [],
      prompt_optimizer: true,
    })
  })
  it('may hold 2000 characters and three movements', () => {
    const full = { ...valid, prompt: 'x'.repeat(2000), camera_movements: ['左移', '推进', '固定'] }
    expect(faults(full)).toEqual([])
  })

  it.each([
    [{ ...valid, prompt: undefined }, 'prompt: required'],
    [{ ...valid, prompt: ' \n ' }, 'prompt: required'],
    [{ ...valid, prompt: 'x'.repeat(2001) }, 'prompt: prompt_too_long'],
    [{ ...valid, task_type: 'audio' }, 'task_type: unknown_task_type'],
    [{ ...valid, task_type: undefined }, 'task_type: unknown_task_type'],
    [{ ...valid, model: 'Sora' }, 'model: unknown_model'],
    [{ ...valid, model: undefined }, 'model: unknown_model'],
    [{ ...valid, duration: 5 }, 'duration: unknown_duration'],
    [{ ...valid, duration: '6' }, 'duration: unknown_duration'],
    [{ ...valid, resolution: '4K' }, 'resolution: unknown_resolution'],
    [{ ...valid, resolution: '512P' }, 'resolution: resolution_not_for_model'],
    [{ ...valid, resolution: '1080P', duration: 10 }, 'duration: duration_not_for_model'],
    [{ ...valid, model: 'I2V-01-live' }, 'model: model_not_for_task_type'],
    [{ ...image, first_frame_image_url: undefined }, 'first_frame_image_url: required'],
    [{ ...image, first_frame_image_url: null }, 'first_frame_image_url: required'],
    [{ ...image, first_frame_image_url: 'x'.repeat(301) }, 'first_frame_image_url: unknown_image'],
    [{ ...valid, camera_movements: ['dolly'] }, 'camera_movements.0: unknown_camera_movement'],
    [{ ...valid, camera_movements: ['左移', '左移'] }, 'camera_movements: camera_movement_repeated'],
    [{ ...valid, camera_movements: ['左移', '右移'] }, 'camera_movements: opposite_camera_movements'],
    [{ ...valid, camera_movements: ['左移', '推进', '上升', '固定'] }, 'camera_movements: too_many_camera_movements'],
    [
      { ...image, model: 'I2V-01-live', resolution: '720P', camera_movements: ['左移'] },
      'camera_movements: camera_movements_not_for_model',
    ],
  ])('is refused by the field at fault (%#)', (input, fault) => {
    expect(faults(input)).toEqual([fault])
  })
  it('reports all invalid fields together', () => {
    expect(faults({ ...valid, duration: 7, model: 'x' })).toEqual([
      'model: unknown_model',
      'duration: unknown_duration',
    ])
  })
  it('is rejected when it is empty', () => {
    expect(faults(null)).toHaveLength(1)
    expect(faults([])).toHaveLength(1)
  })
})
