import { describe, expect, it } from 'vitest'
import type { FormModel } from '../../../api/models.ts'
import { allRatios, cropOf, NO_OPTIONS, offerOf, optionFields, ratioOf } from './optionRules.ts'

const model = (id: string, more: Partial<FormModel> = {}): FormModel => ({
  id,
  names: { en: id, zh: id },
  descriptions: { en: '', zh: '' },
  shapes: [{ taskTypes: ['text_to_video', 'image_to_video'], resolutions: ['768P'], seconds: [6], credits: 30 }],
  cameraMovements: true,
  aspectRatios: [],
  inputs: { firstFrame: true, lastFrame: false, references: 0 },
  sound: false,
  seed: false,
  negativePrompt: false,
  cancels: false,
  engines: [],
  ...more,
})
const plain = model('plain')
const rich = model('rich', {
  aspectRatios: ['9:16', '1:1', '16:9'],
  inputs: { firstFrame: true, lastFrame: true, references: 2 },
  ...{ sound: true, seed: true, negativePrompt: true },
})

describe('the options of the form', () => {
  it('hide what no model of the catalogue takes', () => {
    expect(offerOf('seed', [plain], 'plain', 'text_to_video')).toBe('hidden')
  })

  it('exclude what only another model takes', () => {
    expect(offerOf('seed', [plain, rich], 'plain', 'text_to_video')).toBe('excluded')
    expect(offerOf('seed', [plain, rich], 'rich', 'text_to_video')).toBe('offered')
  })

  it('offer a last frame with a first frame only', () => {
    expect(offerOf('lastFrame', [rich], 'rich', 'text_to_video')).toBe('hidden')
    expect(offerOf('lastFrame', [rich], 'rich', 'image_to_video')).toBe('offered')
  })

  it('prefer the chosen ratio, then 16:9', () => {
    expect(ratioOf(rich, '1:1')).toBe('1:1')
    expect(ratioOf(rich, '4:3')).toBe('16:9')
    expect(allRatios([plain, rich], 'text_to_video')).toEqual(['16:9', '1:1', '9:16'])
  })

  it('cut the video of a model without ratios, where one of three is chosen', () => {
    for (const ratio of ['16:9', '9:16', '1:1']) expect(cropOf(plain, ratio)).toBe(ratio)
    expect([cropOf(plain, null), cropOf(plain, '4:3'), cropOf(rich, '9:16')]).toEqual([undefined, undefined, undefined])
    expect(allRatios([plain], 'text_to_video')).toEqual(['16:9', '1:1', '9:16'])
    expect(optionFields(plain, { ...NO_OPTIONS, aspectRatio: '9:16' })).toEqual({ aspect_ratio: '9:16' })
  })

  it('send only what the model takes', () => {
    const options = { aspectRatio: '9:16', sound: false, seed: '42', negativePrompt: ' blur ' }
    expect(optionFields(plain, options)).toEqual({ aspect_ratio: '9:16' })
    expect(optionFields(rich, options)).toEqual({
      ...{ aspect_ratio: '9:16', sound: false, seed: 42, negative_prompt: 'blur' },
    })
    expect(optionFields(rich, NO_OPTIONS)).toEqual({ aspect_ratio: '16:9', sound: true })
  })
})
