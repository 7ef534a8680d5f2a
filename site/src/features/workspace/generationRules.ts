/** Form rules as pure functions: which options are available, and how each choice affects the others. */
import type { Tier } from '#backend/subscriptions/contract.ts'
import {
  cellsFor,
  configurationFault,
  isFullHd,
  modelsFor,
  TASK_TYPES,
  type TaskType,
} from '#backend/tasks/contract.ts'
import { $models, durationsOf, type FormModel, isDrawn, modelNamed, resolutionsOf } from '../../api/models.ts'

export interface Choices {
  readonly taskType: TaskType
  readonly model: string
  readonly resolution: string
  readonly duration: number
}

/** A change made by a rule rather than by the user. The page announces it. */
export type Forced =
  | { readonly kind: 'settings'; readonly resolution: string; readonly duration: number }
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'movementsCleared'; readonly model: string }

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

/** Returns whether the catalogue offers this combination. */
export const isOffered = (choices: Choices): boolean =>
  configurationFault(modelNamed(choices.model), choices) === undefined

/** Returns whether the choices require a paid plan. An unknown tier counts as paid. */
export const needsPlan = ({ resolution }: Choices, tier: Tier | null): boolean =>
  isFullHd(resolution) && tier === 'free'

/** Returns the Director model that the Quick preset uses for a task type. */
export const quickModel = (taskType: TaskType): string =>
  taskType === 'text_to_video' ? 'T2V-01-Director' : 'I2V-01-Director'

const cells = ({ model, taskType }: Choices) => cellsFor(modelNamed(model), taskType)

/** Returns the largest fitting cell that every plan includes, or the first one that fits. */
const bestCell = (choices: Choices, fits: (s: { resolution: string; duration: number }) => boolean) => {
  const fitting = cells(choices).filter(fits)
  return fitting.filter(({ resolution }) => !isFullHd(resolution)).at(-1) ?? fitting[0]
}

/** Adjusts an invalid combination to a valid one, preserving the `keep` field if possible. */
function settle(choices: Choices, keep: 'resolution' | 'duration'): Settled {
  if (!configurationFault(modelNamed(choices.model), choices)) return { choices, forced: [] }
  const shape =
    bestCell(choices, (cell) => cell[keep] === choices[keep]) ??
    bestCell(choices, ({ duration }) => duration === 6) ??
    bestCell(choices, () => true) ??
    choices
  const { resolution, duration } = shape
  return { choices: { ...choices, resolution, duration }, forced: [{ kind: 'settings', resolution, duration }] }
}

export function chooseModel(choices: Choices, model: string): Settled {
  const settled = settle({ ...choices, model }, 'duration')
  if (modelNamed(model)?.cameraMovements) return settled
  return { ...settled, forced: [...settled.forced, { kind: 'movementsCleared', model }] }
}

export const chooseResolution = (choices: Choices, resolution: string): Settled =>
  settle({ ...choices, resolution }, 'resolution')

export const chooseDuration = (choices: Choices, duration: number): Settled =>
  settle({ ...choices, duration }, 'duration')

/** Returns the model to begin with. The catalogue lists drawings last. */
function firstChoice(fitting: readonly FormModel[]): FormModel | undefined {
  const usual = fitting.find(({ id }) => id === DEFAULT_CHOICES.model)
  return usual && !(isDrawn(usual) && fitting.some((model) => !isDrawn(model))) ? usual : fitting[0]
}

/** Returns whether nobody chose the model, and a film instead of its drawing is offered. */
export const isStandIn = ({ model, taskType }: Choices): boolean =>
  model === DEFAULT_CHOICES.model && firstChoice(modelsFor($models.get(), taskType))?.id !== model

export function chooseMode(choices: Choices, taskType: TaskType): Settled {
  const fitting = modelsFor($models.get(), taskType)
  if (fitting.some(({ id }) => id === choices.model) && !isStandIn({ ...choices, taskType }))
    return settle({ ...choices, taskType }, 'duration')
  const model = firstChoice(fitting)?.id ?? choices.model
  const settled = settle({ ...choices, taskType, model }, 'duration')
  return { ...settled, forced: [{ kind: 'model', model }, ...settled.forced] }
}

/** Returns the task types that a model takes; all while there is no model. */
export function offeredTypes(models: readonly FormModel[]): readonly TaskType[] {
  const offered = TASK_TYPES.filter((type) => modelsFor(models, type).length > 0)
  return offered.length > 0 ? offered : TASK_TYPES
}

/** Returns whether the Quick preset's model is offered. */
export const hasQuick = (taskType: TaskType): boolean =>
  modelsFor($models.get(), taskType).some(({ id }) => id === quickModel(taskType))

export const chooseQuick = (choices: Choices): Choices => ({
  ...choices,
  model: quickModel(choices.taskType),
  resolution: '720P',
  duration: 6,
})

/** Reason why an option is unavailable, as a message key under `workspace.excluded`. */
export type Reason =
  | 'resolutionModel'
  | 'resolutionOther'
  | 'resolutionImage'
  | 'resolutionText'
  | 'resolutionSeconds'
  | 'resolutionPlan'
  | 'durationModel'
export interface Option<V> {
  readonly value: V
  readonly excluded: Reason | null
}

function reasonAgainst(choices: Choices, resolution: string, tier: Tier | null): Reason | null {
  const fitting = cells(choices).filter((cell) => cell.resolution === resolution)
  if (fitting.length === 0) {
    const isImage = choices.taskType === 'image_to_video'
    const other = { ...choices, taskType: isImage ? 'text_to_video' : 'image_to_video' } as const
    if (cells(other).some((cell) => cell.resolution === resolution))
      return isImage ? 'resolutionText' : 'resolutionImage'
    return new Set(cells(choices).map((cell) => cell.resolution)).size === 1 ? 'resolutionModel' : 'resolutionOther'
  }
  if (needsPlan({ ...choices, resolution }, tier)) return 'resolutionPlan'
  return fitting.some((cell) => cell.duration === choices.duration) ? null : 'resolutionSeconds'
}

/** As long as all models together have few options, those of other models stay visible with the reason. */
const MAX_SHARED_OPTIONS = 4
const listed = <V>(shared: readonly V[], own: readonly V[]) => (shared.length <= MAX_SHARED_OPTIONS ? shared : own)
const ownModel = ({ model }: Choices) => $models.get().filter(({ id }) => id === model)

export const resolutionOptions = (choices: Choices, tier: Tier | null): readonly Option<string>[] =>
  listed(resolutionsOf($models.get()), resolutionsOf(ownModel(choices))).map((value) => ({
    value,
    excluded: reasonAgainst(choices, value, tier),
  }))

export const durationOptions = (choices: Choices): readonly Option<number>[] =>
  listed(durationsOf($models.get()), durationsOf(ownModel(choices))).map((value) => ({
    value,
    // Selecting a duration may lower the resolution, so every duration of the model is available.
    excluded: cells(choices).some(({ duration }) => duration === value) ? null : 'durationModel',
  }))

/** Returns the values of the reasons' texts: what the model offers at this resolution, or at all. */
export function offeredBy(choices: Choices, resolution?: string) {
  const fitting = cells(choices).filter((cell) => resolution === undefined || cell.resolution === resolution)
  const list = (values: readonly (string | number)[]) => [...new Set(values)].join(', ')
  return {
    resolutions: list(cells(choices).map((cell) => cell.resolution)),
    seconds: list(fitting.map(({ duration }) => duration)),
  }
}
