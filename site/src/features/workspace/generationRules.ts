/** Form rules as pure functions: which options are available, and how each choice affects the others. */
import type { Tier } from '#backend/subscriptions/contract.ts'
import {
  configurationFault,
  DURATIONS,
  type Duration,
  type ModelName,
  modelNamed,
  modelsFor,
  RESOLUTIONS,
  type Resolution,
  shapesOf,
  type TaskType,
} from '#backend/tasks/contract.ts'

export interface Choices {
  readonly taskType: TaskType
  readonly model: ModelName
  readonly resolution: Resolution
  readonly duration: Duration
}

/** A change made by a rule rather than by the user. The page announces it. */
export type Forced =
  | { readonly kind: 'settings'; readonly resolution: Resolution; readonly duration: Duration }
  | { readonly kind: 'model'; readonly model: ModelName }
  | { readonly kind: 'movementsCleared'; readonly model: ModelName }

export interface Settled {
  readonly choices: Choices
  readonly forced: readonly Forced[]
}

export const DEFAULT_CHOICES: Choices = {
  taskType: 'text_to_video',
  model: 'MiniMax-Hailuo-02',
  resolution: '768P',
  duration: 6,
}

/** Returns whether the model table supports this combination. */
export const isOffered = (choices: Choices): boolean => configurationFault(choices) === undefined

/** Returns whether the choices require a paid plan. An unknown tier counts as paid. */
export const needsPlan = ({ resolution }: Choices, tier: Tier | null): boolean =>
  resolution === '1080P' && tier === 'free'

/** Returns the Director model that the Quick preset uses for a task type. */
export const quickModel = (taskType: TaskType): ModelName =>
  taskType === 'text_to_video' ? 'T2V-01-Director' : 'I2V-01-Director'

const bestShape = (choices: Choices, fits: (s: { resolution: Resolution; duration: Duration }) => boolean) =>
  shapesOf(choices.model, choices.taskType)
    .filter(fits)
    .filter((shape) => shape.resolution !== '1080P')
    .at(-1)

/** Adjusts an invalid combination to a valid one, preserving the `keep` field if possible. */
function settle(choices: Choices, keep: 'resolution' | 'duration'): Settled {
  if (!configurationFault(choices)) return { choices, forced: [] }
  const shape =
    bestShape(choices, (s) => s[keep] === choices[keep]) ?? bestShape(choices, (s) => s.duration === 6) ?? choices
  const { resolution, duration } = shape
  return { choices: { ...choices, resolution, duration }, forced: [{ kind: 'settings', resolution, duration }] }
}

export function chooseModel(choices: Choices, model: ModelName): Settled {
  const settled = settle({ ...choices, model }, 'duration')
  if (modelNamed(model).cameraMovements) return settled
  return { ...settled, forced: [...settled.forced, { kind: 'movementsCleared', model }] }
}

export const chooseResolution = (choices: Choices, resolution: Resolution): Settled =>
  settle({ ...choices, resolution }, 'resolution')

export const chooseDuration = (choices: Choices, duration: Duration): Settled =>
  settle({ ...choices, duration }, 'duration')

export function chooseMode(choices: Choices, taskType: TaskType): Settled {
  if (modelsFor(taskType).some((model) => model.name === choices.model))
    return settle({ ...choices, taskType }, 'duration')
  const model = DEFAULT_CHOICES.model
  const settled = settle({ ...choices, taskType, model }, 'duration')
  return { ...settled, forced: [{ kind: 'model', model }, ...settled.forced] }
}

export const chooseQuick = (choices: Choices): Choices => ({
  ...choices,
  model: quickModel(choices.taskType),
  resolution: '720P',
  duration: 6,
})

/** Reason why an option is unavailable, as a message key under `workspace.excluded`. */
export type Reason =
  | 'resolutionModel'
  | 'resolution720'
  | 'resolution512'
  | 'resolution1080Long'
  | 'resolution1080Plan'
  | 'durationModel'
export interface Option<V> {
  readonly value: V
  readonly excluded: Reason | null
}

function reasonAgainst(choices: Choices, resolution: Resolution, tier: Tier | null): Reason | null {
  const shapes = shapesOf(choices.model, choices.taskType).filter((shape) => shape.resolution === resolution)
  if (shapes.length === 0) {
    if (choices.model !== 'MiniMax-Hailuo-02') return 'resolutionModel'
    return resolution === '512P' ? 'resolution512' : 'resolution720'
  }
  if (needsPlan({ ...choices, resolution }, tier)) return 'resolution1080Plan'
  return shapes.some((shape) => shape.duration === choices.duration) ? null : 'resolution1080Long'
}

export const resolutionOptions = (choices: Choices, tier: Tier | null): readonly Option<Resolution>[] =>
  RESOLUTIONS.map((value) => ({ value, excluded: reasonAgainst(choices, value, tier) }))

export const durationOptions = (choices: Choices): readonly Option<Duration>[] =>
  DURATIONS.map((value) => ({
    value,
    // Selecting a duration may lower the resolution, so every duration of the model is available.
    excluded: shapesOf(choices.model, choices.taskType).some((shape) => shape.duration === value)
      ? null
      : 'durationModel',
  }))
