import * as z from 'zod/mini'
import { cleanText } from '../../kernel/text/typedText.contract.ts'
import {
  CAMERA_MOVEMENT_VALUES,
  CAMERA_MOVEMENTS,
  cellsOf,
  configurationFault,
  MAX_CAMERA_MOVEMENTS,
  type OfferedModel,
  PROMPT_MAX,
  ratiosOf,
  readResolution,
  TASK_TYPES,
} from './models.contract.ts'

const Movements = z.array(z.enum(CAMERA_MOVEMENT_VALUES, 'unknown_camera_movement')).check(
  z.maxLength(MAX_CAMERA_MOVEMENTS, 'too_many_camera_movements'),
  z.refine((list) => new Set(list).size === list.length, 'camera_movement_repeated'),
  z.refine(
    (list) => !list.some((m) => list.includes(CAMERA_MOVEMENTS[m].opposite as never)),
    'opposite_camera_movements',
  ),
)
export const Prompt = z.string().check(z.overwrite(cleanText), z.trim(), z.maxLength(PROMPT_MAX, 'prompt_too_long'))
const ImageUrl = z.string().check(z.maxLength(300, 'unknown_image'))

/** Fields that every generation has, whatever the catalogue offers. */
const form = {
  task_type: z.enum(TASK_TYPES, 'unknown_task_type'),
  model: z.string('unknown_model').check(z.maxLength(120, 'unknown_model')),
  prompt: z._default(Prompt, ''),
  duration: z.int('unknown_duration'),
  resolution: z.string().check(z.maxLength(40, 'unknown_resolution')),
  camera_movements: z._default(Movements, []),
  prompt_optimizer: z._default(z.boolean(), true),
  first_frame_image_url: z.optional(z.nullable(ImageUrl)),
  last_frame_image_url: z.optional(z.nullable(ImageUrl)),
  reference_image_urls: z.optional(z.array(ImageUrl).check(z.maxLength(12, 'too_many_references'))),
  aspect_ratio: z.optional(z.string().check(z.maxLength(10, 'aspect_ratio_not_for_model'))),
  seed: z.optional(z.int('invalid_seed').check(z.nonnegative('invalid_seed'), z.maximum(2 ** 31 - 1, 'invalid_seed'))),
  negative_prompt: z.optional(Prompt),
  sound: z.optional(z.boolean()),
  /** A finished task of the same model, whose video is made again in this resolution. */
  source_task_id: z.optional(z.uuid('unknown_source')),
  /** The film that this one is another take, the continuation or a remix of. It changes nothing about the film. */
  from: z.optional(z.object({ task_id: z.uuid('unknown_source'), as: z.enum(['take', 'extend', 'remix']) })),
  /** Price that the user saw, as in `costs` of the model. At another price the order is refused as `price_changed`. */
  expected_credits: z.optional(z.int().check(z.nonnegative())),
  /** The team that pays. Without it, the user does, or the team of the API key. */
  team_id: z.optional(z.uuid('unknown_team')),
  /** Who sees the film; by default the team if it pays. */
  visibility: z.optional(z.enum(['private', 'team'], 'invalid_choice')),
}

/** The body of a generation without the rules of the catalogue, which the server adds. */
export const Generation = z.object(form)
export type Generation = z.infer<typeof Generation>

/**
 * Returns the body of a generation with the rules of the models that are offered when it is parsed. A value that no
 * model offers is unknown; a value that the chosen model lacks does not fit it.
 */
export function generationOf(models: () => readonly OfferedModel[]) {
  let known: { readonly all: unknown; readonly durations: Set<number>; readonly resolutions: string[] } | undefined
  /** Reads the cells of all models once, until other models are offered. */
  const offered = () => {
    const all = models()
    if (known?.all === all) return known
    const cells = all.flatMap(cellsOf)
    const durations = new Set(cells.map(({ duration }) => duration))
    known = { all, durations, resolutions: [...new Set(cells.map(({ resolution }) => resolution))] }
    return known
  }
  const offersModel = (id: string) => models().some((model) => model.id === id)
  const offersDuration = (seconds: number) => offered().durations.has(seconds)
  const resolutions = () => offered().resolutions
  const toResolution = z.transform((text: string) => readResolution(text, resolutions()) ?? text)
  const unknown = (error: string) => ({ error, abort: true })
  return z
    .object({
      ...form,
      model: form.model.check(z.refine(offersModel, unknown('unknown_model'))),
      duration: form.duration.check(z.refine(offersDuration, unknown('unknown_duration'))),
      resolution: z.pipe(
        z.pipe(form.resolution, toResolution),
        z.string().check(z.refine((text) => resolutions().includes(text), unknown('unknown_resolution'))),
      ),
    })
    .check((ctx) => {
      for (const [path, message] of generationFaults(ctx.value, models()))
        ctx.issues.push({ code: 'custom', path: [path], message, input: ctx.value })
    })
}

/** Yields each field that does not fit the chosen model, with its error code. */
function* generationFaults(g: Generation, models: readonly OfferedModel[]): Generator<[keyof Generation, string]> {
  const model = models.find(({ id }) => id === g.model)!
  const isImage = g.task_type === 'image_to_video'
  if (!isImage && !g.prompt) yield ['prompt', 'required']
  if (isImage && !g.first_frame_image_url) yield ['first_frame_image_url', 'required']
  const refused = configurationFault(model, { ...g, taskType: g.task_type })
  if (refused) yield [refused.field, refused.code]
  if (g.camera_movements.length > 0 && !model.cameraMovements)
    yield ['camera_movements', 'camera_movements_not_for_model']
  if (g.last_frame_image_url && !model.inputs.lastFrame) yield ['last_frame_image_url', 'last_frame_not_for_model']
  if ((g.reference_image_urls ?? []).length > model.inputs.references)
    yield ['reference_image_urls', model.inputs.references > 0 ? 'too_many_references' : 'references_not_for_model']
  if (g.aspect_ratio && !ratiosOf(model).includes(g.aspect_ratio)) yield ['aspect_ratio', 'aspect_ratio_not_for_model']
  if (g.seed !== undefined && !model.seed) yield ['seed', 'seed_not_for_model']
  if (g.negative_prompt && !model.negativePrompt) yield ['negative_prompt', 'negative_prompt_not_for_model']
  if (g.sound !== undefined && !model.sound) yield ['sound', 'sound_not_for_model']
  if (g.source_task_id && model.regeneratesTo !== g.resolution) yield ['source_task_id', 'source_not_for_model']
}
