import * as z from 'zod/mini'

/** The model catalogue: what a model can do, what it costs, and which providers render it. */

export const TASK_TYPES = ['text_to_video', 'image_to_video'] as const
export type TaskType = (typeof TASK_TYPES)[number]
/** Kinds of films: those of a generation, and those that are joined. */
export const FILM_TYPES = [...TASK_TYPES, 'join'] as const

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
  /** Position in the form; models of the same order are sorted by id. */
  order: z._default(z.int(), 100),
  names: Text,
  descriptions: Text,
  shapes: z.array(Shape).check(z.minLength(1)),
  aspectRatios: z._default(z.array(z.string().check(z.regex(/^\d{1,2}:\d{1,2}$/))), []),
  inputs: z._default(Inputs, { firstFrame: false, lastFrame: false, references: 0 }),
  cameraMovements: z._default(z.boolean(), false),
  sound: z._default(z.boolean(), false),
  seed: z._default(z.boolean(), false),
  negativePrompt: z._default(z.boolean(), false),
  /** Resolution in which a provider can render a finished video of this model again. */
  regeneratesTo: z.optional(z.string().check(z.regex(/^\w{1,16}$/))),
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

export type Route = ModelFile['routes'][number]

/** A catalogue entry. `version` is derived from the entry, so it changes with every change of a rule or a price. */
export type CatalogueModel = ModelFile & { readonly version: string }

export const secondsOf = ({ seconds }: Pick<Shape, 'seconds'>): readonly number[] =>
  'from' in seconds ? Array.from({ length: seconds.to - seconds.from + 1 }, (_, n) => seconds.from + n) : seconds

/** Price in credits where neither a price nor a cost is known. */
export const DEFAULT_CREDITS = 30

/** Returns whether neither a price nor a cost of a shape is known, so that the default price applies. */
export const isUnpriced = ({ credits, creditsPerSecond, cents, centsPerSecond }: Shape): boolean =>
  credits === undefined && creditsPerSecond === undefined && !(cents ?? centsPerSecond)

/**
 * Returns the price in credits of a video of a shape: the stated price, or one credit for each cent of the cost, rounded
 * up to the next 5.
 */
export function priceOf(shape: Shape, seconds: number): number {
  const { credits, creditsPerSecond, cents, centsPerSecond } = shape
  if (credits !== undefined) return credits
  if (creditsPerSecond !== undefined) return creditsPerSecond * seconds
  const cost = cents ?? (centsPerSecond === undefined ? 0 : centsPerSecond * seconds)
  // Rounding to a thousandth of a cent removes binary fractions such as those of 3 × 0.1.
  return cost > 0 ? Math.ceil(Math.round(cost * 1000) / 5000) * 5 : DEFAULT_CREDITS
}
