import * as z from 'zod/mini'
import { Answer, ErrorKind } from './shapes.ts'

/**
 * Examples from the provider's documentation. They are tests of the definition, and the script of the wire double.
 * Requests are written as `METHOD /path?query`, without the origin.
 */

const Request = z.string().check(z.regex(/^(?:GET|POST|PUT|DELETE) \/\S*$/))

const Input = z.partial(
  z.strictObject({
    taskType: z.enum(['text_to_video', 'image_to_video']),
    prompt: z.string(),
    providerModel: z.string(),
    resolution: z.string(),
    duration: z.int(),
    firstFrame: z.string(),
    lastFrame: z.string(),
    references: z.array(z.string()),
    aspectRatio: z.string(),
    seed: z.int(),
    negativePrompt: z.string(),
    sound: z.boolean(),
    callbackUrl: z.string(),
    sourceJob: z.string(),
  }),
)

/** What a state or result means: a word, or the code of a failure. */
const Meaning = z.strictObject({
  kind: z.enum(['queued', 'rendering', 'finished', 'failed']),
  percent: z.optional(z.number()),
  seconds: z.optional(z.number()),
  costCents: z.optional(z.number()),
  code: z.optional(z.enum(['content_refused', 'provider_failed'])),
})

export const Examples = z.strictObject({
  /** Requests to create, with what is sent for an input. The answer to the first creates the example's job. */
  creates: z.array(z.strictObject({ input: Input, request: Request, sends: z.json() })).check(z.minLength(1)),
  /** A request to render the example's job again. */
  regenerate: z.optional(z.strictObject({ input: Input, request: Request, sends: z.json() })),
  created: Answer,
  refusals: z.array(z.strictObject({ answer: Answer, kind: ErrorKind })),
  /** Answers of one job in order; the last is `finished`. */
  state: z.strictObject({ request: Request, answers: z.array(z.strictObject({ answer: Answer, means: Meaning })) }),
  result: z.optional(z.strictObject({ request: Request, answer: Answer, means: Meaning })),
  /** Failed jobs: the last state, and the result if there is a call for it. */
  failures: z.array(z.strictObject({ state: Answer, result: z.optional(Answer), means: Meaning })),
  cancel: z.optional(z.strictObject({ request: Request, answer: Answer, tooLate: z.optional(Answer) })),
  upload: z.optional(z.strictObject({ request: Request, answer: Answer })),
  webhook: z.optional(z.strictObject({ body: z.json() })),
  check: z.strictObject({ request: Request, answer: Answer }),
})
export type Examples = z.output<typeof Examples>
