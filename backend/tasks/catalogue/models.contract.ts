import {
  type CatalogueModel,
  DEFAULT_CREDITS,
  priceOf,
  type Shape,
  secondsOf,
  type TaskType,
} from './catalogue.contract.ts'

export * from './catalogue.contract.ts'

export interface Configuration {
  readonly taskType: TaskType
  /** Id of a catalogue model. */
  readonly model: string
  readonly resolution: string
  /** Seconds. */
  readonly duration: number
}

/** The part of a catalogue model that the form and the validation use. */
export type OfferedModel = Pick<
  CatalogueModel,
  | 'id'
  | 'shapes'
  | 'cameraMovements'
  | 'aspectRatios'
  | 'inputs'
  | 'sound'
  | 'seed'
  | 'negativePrompt'
  | 'regeneratesTo'
>
/** Ratios to which the video of a model without ratios of its own can be cut. */
const CROPS: readonly string[] = ['16:9', '9:16', '1:1']
/** Returns whether a video gets its ratio by a cut. */
export const isCropped = ({ aspectRatios }: Pick<OfferedModel, 'aspectRatios'>): boolean => aspectRatios.length === 0
/** Returns the ratios that a video of a model can have. */
export const ratiosOf = (model: Pick<OfferedModel, 'aspectRatios'>): readonly string[] =>
  isCropped(model) ? CROPS : model.aspectRatios

type Priced = Pick<CatalogueModel, 'shapes'>

/** One resolution and duration of a model, with its price in credits. */
export interface Cell {
  readonly taskTypes: readonly TaskType[]
  readonly resolution: string
  readonly duration: number
  readonly credits: number
}

export const cellsOf = ({ shapes }: Priced): readonly Cell[] =>
  shapes.flatMap((shape) =>
    shape.resolutions.flatMap((resolution) =>
      secondsOf(shape).map((duration) => {
        const { taskTypes } = shape
        return { taskTypes, resolution, duration, credits: priceOf(shape, duration) }
      }),
    ),
  )

/** Returns the cells that a model offers for a task type; none for an unknown model. */
export const cellsFor = (model: Priced | undefined, taskType: TaskType): readonly Cell[] =>
  model ? cellsOf(model).filter(({ taskTypes }) => taskTypes.includes(taskType)) : []

export const modelsFor = <M extends Priced>(models: readonly M[], taskType: TaskType): readonly M[] =>
  models.filter(({ shapes }) => shapes.some(({ taskTypes }) => taskTypes.includes(taskType)))

/** Returns the shape of a model that prices a configuration. */
export const shapeOf = (model: Priced | undefined, c: Configuration): Shape | undefined =>
  model?.shapes.find(
    (shape) =>
      shape.taskTypes.includes(c.taskType) &&
      shape.resolutions.includes(c.resolution) &&
      secondsOf(shape).includes(c.duration),
  )

/** Returns the price in credits. The API rejects a configuration without a shape beforehand. */
export function creditCost(model: Priced | undefined, configuration: Configuration): number {
  const shape = shapeOf(model, configuration)
  return shape ? priceOf(shape, configuration.duration) : DEFAULT_CREDITS
}

/** Returns the first invalid field of a configuration and a stable error code, or undefined if it is valid. */
export function configurationFault(model: Priced | undefined, c: Configuration) {
  const cells = cellsFor(model, c.taskType)
  if (cells.length === 0) return { field: 'model', code: 'model_not_for_task_type' } as const
  if (!cells.some((cell) => cell.resolution === c.resolution))
    return { field: 'resolution', code: 'resolution_not_for_model' } as const
  if (!shapeOf(model, c)) return { field: 'duration', code: 'duration_not_for_model' } as const
  return undefined
}

/** Returns the smaller side in pixels that a resolution such as `768P`, `2K` or `1280x720` names. */
export function linesOf(resolution: string): number {
  const size = /^(\d+)x(\d+)$/i.exec(resolution)
  if (size) return Math.min(Number(size[1]), Number(size[2]))
  const thousands = /^(\d+)K$/i.exec(resolution)?.[1]
  return thousands ? Number(thousands) * 720 : Number.parseInt(resolution, 10) || 0
}

/** Returns whether a resolution needs a paid plan: 1080P and more. */
export const isFullHd = (resolution: string): boolean => linesOf(resolution) >= 1080

/** Returns whether a resolution exceeds 1080P. */
export const isUltraHd = (resolution: string): boolean => linesOf(resolution) > 1080

/**
 * Finds a resolution among those offered. Reads `768P` as `768p`, `768` or a size such as `1366x768` too. Returns
 * undefined if none is meant.
 */
export function readResolution(text: string, offered: readonly string[]): string | undefined {
  const wanted = text.trim().toUpperCase()
  const lines = /^\d+\s*[X×]\s*(\d+)$/.exec(wanted)?.[1] ?? /^(\d+)P?$/.exec(wanted)?.[1]
  return (
    offered.find((resolution) => resolution.toUpperCase() === wanted) ??
    offered.find((resolution) => resolution === `${lines}P`)
  )
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
