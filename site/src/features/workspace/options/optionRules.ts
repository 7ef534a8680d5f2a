/** Rules of the optional fields: which of them the catalogue offers, and which the chosen model takes. */
import { isCropped, modelsFor, ratiosOf, type TaskType } from '#backend/tasks/contract.ts'
import type { FormModel } from '../../../api/models.ts'

export interface Options {
  /** Aspect ratio that the user chose, or null. A model without it uses its own default. */
  readonly aspectRatio: string | null
  readonly sound: boolean
  /** Text of the seed field; empty for a random seed. */
  readonly seed: string
  readonly negativePrompt: string
}

export const NO_OPTIONS: Options = { aspectRatio: null, sound: true, seed: '', negativePrompt: '' }

const TAKES = {
  sound: ({ sound }: FormModel) => sound,
  seed: ({ seed }: FormModel) => seed,
  negativePrompt: ({ negativePrompt }: FormModel) => negativePrompt,
  lastFrame: ({ inputs }: FormModel) => inputs.lastFrame,
  references: ({ inputs }: FormModel) => inputs.references > 0,
} as const
export type OptionName = keyof typeof TAKES

/** `excluded`: another model of the same task type takes the option. `hidden`: none does. */
export type Offer = 'offered' | 'excluded' | 'hidden'

export function offerOf(name: OptionName, models: readonly FormModel[], model: string, taskType: TaskType): Offer {
  // A last frame needs a first one.
  if (name === 'lastFrame' && taskType === 'text_to_video') return 'hidden'
  const takes = modelsFor(models, taskType).filter(TAKES[name])
  if (takes.some(({ id }) => id === model)) return 'offered'
  return takes.length > 0 ? 'excluded' : 'hidden'
}

const PREFERRED_RATIO = '16:9'

/** Returns the aspect ratio to send: the chosen one if the model offers it, or the model's default. A cut is only made if chosen. */
export function ratioOf(model: FormModel | undefined, chosen: string | null): string | undefined {
  const ratios = model ? ratiosOf(model) : []
  if (model && isCropped(model)) return ratios.find((ratio) => ratio === chosen)
  return [chosen, PREFERRED_RATIO].find((ratio) => ratio !== null && ratios.includes(ratio)) ?? ratios[0]
}

/** Returns all ratios that models of a task type offer, widest first. */
export function allRatios(models: readonly FormModel[], taskType: TaskType): readonly string[] {
  const widthOf = (ratio: string) => {
    const [width = 1, height = 1] = ratio.split(':').map(Number)
    return width / height
  }
  const ratios = modelsFor(models, taskType).flatMap(ratiosOf)
  return [...new Set(ratios)].sort((a, b) => widthOf(b) - widthOf(a))
}

/** Returns the ratio to which the video is cut, where the engine knows none. */
export const cropOf = (model: FormModel | undefined, chosen: string | null): string | undefined =>
  model && isCropped(model) ? ratioOf(model, chosen) : undefined

/** Returns the options' part of a generation request: only what the model takes. */
export function optionFields(model: FormModel | undefined, options: Options) {
  if (!model) return {}
  const { sound, seed, negativePrompt } = options
  const ratio = ratioOf(model, options.aspectRatio)
  const negative = negativePrompt.trim()
  return {
    ...(ratio ? { aspect_ratio: ratio } : {}),
    ...(model.sound ? { sound } : {}),
    ...(model.seed && seed.trim() !== '' ? { seed: Number(seed) } : {}),
    ...(model.negativePrompt && negative ? { negative_prompt: negative } : {}),
  }
}
