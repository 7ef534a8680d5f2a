import { describe, expect, it } from 'vitest'
import { shippedModels } from '../testing/shippedModels.ts'
import {
  CAMERA_MOVEMENTS,
  type CameraMovement,
  type Configuration,
  cellsOf,
  creditCost as costOf,
  configurationFault as faultOf,
  isFullHd,
  isUltraHd,
  modelsFor,
  readResolution,
  TASK_TYPES,
} from './models.contract.ts'

const MODEL_NAMES = ['MiniMax-Hailuo-02', 'T2V-01-Director', 'I2V-01-Director', 'I2V-01-live']
const RESOLUTIONS = ['512P', '720P', '768P', '1080P']
const DURATIONS = [6, 10]
const MODELS = shippedModels('demo')
const modelNamed = (name: string) => MODELS.find(({ id }) => id === name)!
const configurationFault = (c: Configuration) => faultOf(modelNamed(c.model), c)
const creditCost = (c: Configuration) => costOf(modelNamed(c.model), c)

const ALL = TASK_TYPES.flatMap((taskType) =>
  MODEL_NAMES.flatMap((model) =>
    RESOLUTIONS.flatMap((resolution) => DURATIONS.map((duration) => ({ taskType, model, resolution, duration }))),
  ),
)
const nameOf = ({ taskType, model, resolution, duration }: (typeof ALL)[number]) =>
  `${taskType} ${model} ${resolution} ${duration}`

describe('the shipped catalogue without a MiniMax key', () => {
  it('offers exactly these configurations at these prices', () => {
    const offered = ALL.filter((c) => configurationFault(c) === undefined)
    expect(Object.fromEntries(offered.map((c) => [nameOf(c), creditCost(c)]))).toEqual({
      'text_to_video MiniMax-Hailuo-02 768P 6': 30,
      'text_to_video MiniMax-Hailuo-02 768P 10': 60,
      'text_to_video MiniMax-Hailuo-02 1080P 6': 60,
      'text_to_video T2V-01-Director 720P 6': 30,
      'image_to_video MiniMax-Hailuo-02 512P 6': 10,
      'image_to_video MiniMax-Hailuo-02 512P 10': 15,
      'image_to_video MiniMax-Hailuo-02 768P 6': 30,
      'image_to_video MiniMax-Hailuo-02 768P 10': 60,
      'image_to_video MiniMax-Hailuo-02 1080P 6': 60,
      'image_to_video I2V-01-Director 720P 6': 30,
      'image_to_video I2V-01-live 720P 6': 30,
    })
    expect(ALL).toHaveLength(64)
  })

  it('names the first invalid field of each configuration that is not offered', () => {
    const faults = ALL.flatMap((c) => {
      const fault = configurationFault(c)
      return fault ? [`${nameOf(c)}: ${fault.field} ${fault.code}`] : []
    })
    expect(faults).toHaveLength(64 - 11)
    const expected = (c: (typeof ALL)[number]) => {
      if (!modelsFor(MODELS, c.taskType).includes(modelNamed(c.model))) return 'model model_not_for_task_type'
      const known = cellsOf(modelNamed(c.model)).filter(({ taskTypes }) => taskTypes.includes(c.taskType))
      return known.some(({ resolution }) => resolution === c.resolution)
        ? 'duration duration_not_for_model'
        : 'resolution resolution_not_for_model'
    }
    expect(faults).toEqual(ALL.filter((c) => configurationFault(c)).map((c) => `${nameOf(c)}: ${expected(c)}`))
  })

  it.each([
    ['text_to_video', 'MiniMax-Hailuo-02', '512P', 6, { field: 'resolution', code: 'resolution_not_for_model' }],
    ['image_to_video', 'MiniMax-Hailuo-02', '1080P', 10, { field: 'duration', code: 'duration_not_for_model' }],
    ['text_to_video', 'T2V-01-Director', '720P', 10, { field: 'duration', code: 'duration_not_for_model' }],
    ['text_to_video', 'T2V-01-Director', '768P', 6, { field: 'resolution', code: 'resolution_not_for_model' }],
    ['image_to_video', 'T2V-01-Director', '720P', 6, { field: 'model', code: 'model_not_for_task_type' }],
    ['text_to_video', 'I2V-01-live', '720P', 6, { field: 'model', code: 'model_not_for_task_type' }],
    ['image_to_video', 'I2V-01-live', '720P', 10, { field: 'duration', code: 'duration_not_for_model' }],
  ] as const)('rejects %s with %s at %s for %i s', (taskType, model, resolution, duration, fault) => {
    expect(configurationFault({ taskType, model, resolution, duration })).toEqual(fault)
  })

  it('returns the default price for a configuration that is not offered', () => {
    expect(creditCost({ taskType: 'text_to_video', model: 'T2V-01-Director', resolution: '1080P', duration: 10 })).toBe(
      30,
    )
  })

  it('offers the models of each task type', () => {
    const names = (taskType: (typeof TASK_TYPES)[number]) => modelsFor(MODELS, taskType).map(({ id }) => id)
    expect(names('text_to_video')).toEqual(['MiniMax-Hailuo-02', 'T2V-01-Director'])
    expect(names('image_to_video')).toEqual(['MiniMax-Hailuo-02', 'I2V-01-Director', 'I2V-01-live'])
  })
})

describe('readResolution', () => {
  it.each([
    ['512', '512P'],
    ['512p', '512P'],
    ['720P', '720P'],
    [' 768P ', '768P'],
    ['768', '768P'],
    ['1080', '1080P'],
    ['1920x1080', '1080P'],
    ['1920X1080', '1080P'],
    ['1366 × 768', '768P'],
    ['1280x720', '720P'],
    ['910x512', '512P'],
  ])('parses %s as %s', (text, resolution) => {
    expect(readResolution(text, RESOLUTIONS)).toBe(resolution)
  })
  it.each(['', 'P', '4K', '480P', '768PP', '1080x', 'x1080', '-768', '768.0', 'constructor'])(
    'returns undefined for %j',
    (text) => {
      expect(readResolution(text, RESOLUTIONS)).toBeUndefined()
    },
  )
})

describe('a resolution of another engine', () => {
  it.each([
    ['2k', '2K'],
    ['1280X720', '1280x720'],
    ['1280x720 ', '1280x720'],
    ['720', undefined],
  ])('is parsed from %s as %s', (text, resolution) => {
    expect(readResolution(text, ['2K', '1280x720'])).toBe(resolution)
  })
  it('needs a paid plan from 1080 lines on', () => {
    expect(['1080P', '2160P', '1920x1080', '1080x1920', '2K', '4K'].filter((each) => !isFullHd(each))).toEqual([])
    expect(['512P', '768P', '1280x720', '720x1280', 'native'].filter(isFullHd)).toEqual([])
    expect(['1080P', '1920x1080', '2K', '4K', '2560x1440'].filter(isUltraHd)).toEqual(['2K', '4K', '2560x1440'])
  })
})

describe('the camera movements', () => {
  it('are 15, and opposites are mutual', () => {
    const all = Object.entries(CAMERA_MOVEMENTS)
    expect(all).toHaveLength(15)
    const paired = all.filter(([, { opposite }]) => opposite !== null)
    expect(paired).toHaveLength(12)
    for (const [name, { opposite }] of paired) expect(CAMERA_MOVEMENTS[opposite as CameraMovement].opposite).toBe(name)
  })
})
