import { describe, expect, it, onTestFinished } from 'vitest'
import { $models, type FormModel } from '../../api/models.ts'
import {
  type Choices,
  chooseDuration,
  chooseMode,
  chooseModel,
  chooseQuick,
  chooseResolution,
  DEFAULT_CHOICES,
  durationOptions,
  isStandIn,
  offeredTypes,
  resolutionOptions,
} from './generationRules.ts'

const image: Choices = { ...DEFAULT_CHOICES, taskType: 'image_to_video' }
const excluded = (options: readonly { value: unknown; excluded: unknown }[]) =>
  Object.fromEntries(options.map(({ value, excluded }) => [value, excluded]))

describe('the generation form', () => {
  it('lowers 1080P to 768P for 10 seconds and reports it', () => {
    expect(chooseDuration({ ...DEFAULT_CHOICES, resolution: '1080P' }, 10)).toEqual({
      choices: { ...DEFAULT_CHOICES, resolution: '768P', duration: 10 },
      forced: [{ kind: 'settings', resolution: '768P', duration: 10 }],
    })
  })

  it('forces 720P and 6 seconds for a Director model', () => {
    expect(chooseModel({ ...DEFAULT_CHOICES, duration: 10 }, 'T2V-01-Director').choices).toEqual({
      ...DEFAULT_CHOICES,
      model: 'T2V-01-Director',
      resolution: '720P',
      duration: 6,
    })
  })

  it('returns to 768P with Hailuo-02', () => {
    const director = chooseQuick(DEFAULT_CHOICES)
    expect(chooseModel(director, 'MiniMax-Hailuo-02').choices).toEqual(DEFAULT_CHOICES)
  })

  it('clears the camera movements for the live model', () => {
    expect(chooseModel(image, 'I2V-01-live').forced.map(({ kind }) => kind)).toEqual(['settings', 'movementsCleared'])
  })

  it('changes a model that the new mode does not support', () => {
    const { choices, forced } = chooseMode(chooseQuick(DEFAULT_CHOICES), 'image_to_video')
    expect(choices).toEqual(image)
    expect(forced.map(({ kind }) => kind)).toEqual(['model', 'settings'])
  })

  it('offers the task types that a model takes', () => {
    const textOnly = $models.get().filter(({ inputs }) => !inputs.firstFrame)
    expect(offeredTypes(textOnly)).toEqual(['text_to_video'])
    expect(offeredTypes($models.get())).toEqual(['text_to_video', 'image_to_video'])
    expect(offeredTypes([])).toEqual(['text_to_video', 'image_to_video'])
  })

  it('leaves 512P when the mode changes to text', () => {
    expect(chooseMode({ ...image, resolution: '512P' }, 'text_to_video').choices.resolution).toBe('768P')
  })

  it('selects the mode’s Director model, 720P and 6 seconds with Quick', () => {
    expect(chooseQuick(image)).toEqual({ ...image, model: 'I2V-01-Director', resolution: '720P', duration: 6 })
  })

  it('keeps valid choices', () => {
    expect(chooseResolution(DEFAULT_CHOICES, '1080P').forced).toEqual([])
  })
})

describe('the options', () => {
  it('give the reason why they are unavailable', () => {
    expect(excluded(resolutionOptions({ ...DEFAULT_CHOICES, duration: 10 }, 'pro'))).toEqual({
      '512P': 'resolutionImage',
      '720P': 'resolutionOther',
      '768P': null,
      '1080P': 'resolutionSeconds',
    })
    expect(excluded(resolutionOptions(image, 'free'))['1080P']).toBe('resolutionPlan')
    expect(excluded(durationOptions(chooseQuick(DEFAULT_CHOICES)))).toEqual({ 6: null, 10: 'durationModel' })
  })

  it('keep 10 seconds available at 1080P, which then changes', () => {
    expect(excluded(durationOptions({ ...DEFAULT_CHOICES, resolution: '1080P' }))).toEqual({ 6: null, 10: null })
  })
})

describe('a model that the demo draws', () => {
  const offer = (...models: FormModel[]) => {
    const before = $models.get()
    onTestFinished(() => $models.set(before))
    $models.set(models)
  }
  const usual = $models.get().find(({ id }) => id === DEFAULT_CHOICES.model)!
  const drawn = { ...usual, engines: ['demo'] }
  const film = { ...usual, id: 'Wan', engines: ['videos_api'] }

  it('is not preselected beside one that makes films', () => {
    offer(film, drawn)
    expect(isStandIn(DEFAULT_CHOICES)).toBe(true)
    expect(chooseMode(DEFAULT_CHOICES, 'text_to_video').choices.model).toBe('Wan')
  })
  it('is preselected where nothing else is, and where an engine makes its films', () => {
    offer(drawn)
    expect(isStandIn(DEFAULT_CHOICES)).toBe(false)
    offer(film, { ...usual, engines: ['minimax', 'demo'] })
    expect(isStandIn(DEFAULT_CHOICES)).toBe(false)
  })
})
