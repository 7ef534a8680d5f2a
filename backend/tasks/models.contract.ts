import { TASK_TYPES, type TaskType } from './catalogue.contract.ts'

export * from './catalogue.contract.ts'

/**
 * The models and their valid configurations. The form, client and server validation, prices and provider adapters all
 * use this table.
 */

export const MODEL_NAMES = ['MiniMax-Hailuo-02', 'T2V-01-Director', 'I2V-01-Director', 'I2V-01-live'] as const
export type ModelName = (typeof MODEL_NAMES)[number]

export const RESOLUTIONS = ['512P', '720P', '768P', '1080P'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

/** Seconds. */
export const DURATIONS = [6, 10] as const
export type Duration = (typeof DURATIONS)[number]

export interface Configuration {
  readonly taskType: TaskType
  /** Id of a catalogue model. */
  readonly model: string
  readonly resolution: string
  /** Seconds. */
  readonly duration: number
}

interface FixedShape {
  readonly taskTypes: readonly TaskType[]
  readonly resolution: Resolution
  readonly duration: Duration
  readonly credits: number
}

export interface Model {
  readonly name: ModelName
  readonly cameraMovements: boolean
  readonly shapes: readonly FixedShape[]
}

const both = TASK_TYPES
const text: readonly TaskType[] = ['text_to_video']
const image: readonly TaskType[] = ['image_to_video']

/** The only configuration of the 01 models. */
const ONLY_SHAPE = { resolution: '720P', duration: 6, credits: 30 } as const

export const MODELS: readonly Model[] = [
  {
    name: 'MiniMax-Hailuo-02',
    cameraMovements: true,
    shapes: [
      { taskTypes: image, resolution: '512P', duration: 6, credits: 10 },
      { taskTypes: image, resolution: '512P', duration: 10, credits: 15 },
      { taskTypes: both, resolution: '768P', duration: 6, credits: 30 },
      { taskTypes: both, resolution: '768P', duration: 10, credits: 60 },
      { taskTypes: both, resolution: '1080P', duration: 6, credits: 60 },
    ],
  },
  { name: 'T2V-01-Director', cameraMovements: true, shapes: [{ ...ONLY_SHAPE, taskTypes: text }] },
  { name: 'I2V-01-Director', cameraMovements: true, shapes: [{ ...ONLY_SHAPE, taskTypes: image }] },
  { name: 'I2V-01-live', cameraMovements: false, shapes: [{ ...ONLY_SHAPE, taskTypes: image }] },
]

export const modelNamed = (name: string): Model => MODELS.find((model) => model.name === name)!

export const shapesOf = (name: string, taskType: TaskType): readonly FixedShape[] =>
  (modelNamed(name)?.shapes ?? []).filter((shape) => shape.taskTypes.includes(taskType))

export const modelsFor = (taskType: TaskType): readonly Model[] =>
  MODELS.filter((model) => model.shapes.some((shape) => shape.taskTypes.includes(taskType)))

const shapeOf = (c: Configuration) =>
  shapesOf(c.model, c.taskType).find((s) => s.resolution === c.resolution && s.duration === c.duration)

/** Price in credits of a configuration that is not in the table. The API rejects such a configuration beforehand. */
export const DEFAULT_CREDITS = 30

export const creditCost = (configuration: Configuration): number => shapeOf(configuration)?.credits ?? DEFAULT_CREDITS

/** Returns the first invalid field of a configuration and a stable error code, or undefined if it is valid. */
export function configurationFault(c: Configuration) {
  const shapes = shapesOf(c.model, c.taskType)
  if (shapes.length === 0) return { field: 'model', code: 'model_not_for_task_type' } as const
  if (!shapes.some((s) => s.resolution === c.resolution))
    return { field: 'resolution', code: 'resolution_not_for_model' } as const
  if (!shapeOf(c)) return { field: 'duration', code: 'duration_not_for_model' } as const
  return undefined
}

const SIZES: Readonly<Record<string, Resolution>> = { '512': '512P', '720': '720P', '768': '768P', '1080': '1080P' }

/** Parses `768P`, `768p`, `768` or a size such as `1366x768`. Returns undefined for anything else. */
export function readResolution(text: string): Resolution | undefined {
  const size = /^\d+\s*[x×]\s*(\d+)$/i.exec(text.trim())?.[1] ?? /^(\d+)p?$/i.exec(text.trim())?.[1]
  return size === undefined ? undefined : SIZES[size]
}

/** The 15 camera movements, keyed by stored value, each with its catalogue key and opposite. */
export const CAMERA_MOVEMENTS = {
  左移: { key: 'truckLeft', opposite: '右移' },
  右移: { key: 'truckRight', opposite: '左移' },
  左摇: { key: 'panLeft', opposite: '右摇' },
  右摇: { key: 'panRight', opposite: '左摇' },
  推进: { key: 'pushIn', opposite: '拉远' },
  拉远: { key: 'pullOut', opposite: '推进' },
  上升: { key: 'pedestalUp', opposite: '下降' },
  下降: { key: 'pedestalDown', opposite: '上升' },
  上摇: { key: 'tiltUp', opposite: '下摇' },
  下摇: { key: 'tiltDown', opposite: '上摇' },
  变焦推近: { key: 'zoomIn', opposite: '变焦拉远' },
  变焦拉远: { key: 'zoomOut', opposite: '变焦推近' },
  晃动: { key: 'shake', opposite: null },
  跟随: { key: 'follow', opposite: null },
  固定: { key: 'fixed', opposite: null },
} as const
export type CameraMovement = keyof typeof CAMERA_MOVEMENTS
export const CAMERA_MOVEMENT_VALUES = Object.keys(CAMERA_MOVEMENTS) as [CameraMovement, ...CameraMovement[]]
export const MAX_CAMERA_MOVEMENTS = 3
export const PROMPT_MAX = 2000
