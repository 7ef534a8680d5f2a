import * as z from 'zod/mini'

/** The model catalogue: what a model can do, what it costs, and which providers render it. */

export const TASK_TYPES = ['text_to_video', 'image_to_video'] as const
export type TaskType = (typeof TASK_TYPES)[number]

const Text = z.object({ en: z.string().check(z.minLength(1)), zh: z.string().check(z.minLength(1)) })
const Credits = z.int().check(z.positive(), z.maximum(1_000_000))
const Cents = z.number().check(z.nonnegative())
const Seconds = z.int().check(z.positive(), z.maximum(600))
const Id = z.string().check(z.regex(/^[\w.:/@-]{1,120}$/))

/** Seconds that a shape offers: a list, or every integer of a range, both ends included. */
const Range = z
  .strictObject({ from: Seconds, to: Seconds })
  .check(z.refine(({ from, to }) => from <= to, 'from must not be greater than to'))

/** Resolutions and seconds that share a price. Without a price, the default rule applies. */
export const Shape = z.strictObject({
  taskTypes: z.array(z.enum(TASK_TYPES)).check(z.minLength(1)),
  /** Such as `768P`, `2K` or `1280x720`. */
  resolutions: z.array(z.string().check(z.regex(/^\w{1,16}$/))).check(z.minLength(1)),
  seconds: z.union([z.array(Seconds).check(z.minLength(1)), Range]),
  credits: z.optional(Credits),
  creditsPerSecond: z.optional(Credits),
  /** What a video costs the operator, in US cents. */
  cents: z.optional(Cents),
  centsPerSecond: z.optional(Cents),
})
export type Shape = z.output<typeof Shape>

const Inputs = z.strictObject({
  firstFrame: z._default(z.boolean(), false),
  lastFrame: z._default(z.boolean(), false),
  /** Maximum number of reference images. */
  references: z._default(z.int().check(z.nonnegative(), z.maximum(12)), 0),
})

const model = {
  /** Stored in events and sent by clients, so it never changes. */
  id: Id,
  names: Text,
  descriptions: Text,
  shapes: z.array(Shape).check(z.minLength(1)),
  aspectRatios: z._default(z.array(z.string().check(z.regex(/^\d{1,2}:\d{1,2}$/))), []),
  inputs: z._default(Inputs, { firstFrame: false, lastFrame: false, references: 0 }),
  cameraMovements: z._default(z.boolean(), false),
  sound: z._default(z.boolean(), false),
  seed: z._default(z.boolean(), false),
  negativePrompt: z._default(z.boolean(), false),
}

/** A model of a provider definition, whose provider is implied. `model` is the provider's own name of it. */
export const ProviderModel = z.strictObject({ ...model, model: z.optional(z.string().check(z.minLength(1))) })
export type ProviderModel = z.output<typeof ProviderModel>

/** A file of `content/models` or `DATA_DIR/models`. */
export const ModelFile = z.strictObject({
  ...model,
  /** Providers that render the model, tried in this order. `model` is the provider's own name of it. */
  routes: z
    .array(z.strictObject({ provider: z.string().check(z.minLength(1)), model: z.string().check(z.minLength(1)) }))
    .check(z.minLength(1)),
})
export type ModelFile = z.output<typeof ModelFile>

/** A catalogue entry. `version` is derived from the entry, so it changes with every change of a rule or a price. */
export type CatalogueModel = ModelFile & { readonly version: string }
