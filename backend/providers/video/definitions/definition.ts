import * as z from 'zod/mini'
import { ProviderModel } from '#backend/tasks/contract.ts'
import { Examples } from './examples.ts'
import { ErrorKind, Path, Paths, Template } from './shapes.ts'
import { referencesOf } from './template.ts'

/** A file of `content/providers` or `DATA_DIR/providers`: how one provider is asked for videos, as data. */

const Text = z.object({ en: z.string().check(z.minLength(1)), zh: z.string().check(z.minLength(1)) })
const HeaderName = z.string().check(z.regex(/^[\w-]{1,64}$/))
const Status = z.string().check(z.regex(/^[1-5]\d\d$/))

/** A request. `url` starts with `/`, which means `baseUrl`, or is an address of `baseUrl` or of `origins`. */
const Call = z.strictObject({
  method: z._default(z.enum(['GET', 'POST', 'PUT', 'DELETE']), 'GET'),
  url: Template,
  query: z._default(z.record(z.string(), Template), {}),
  headers: z._default(z.record(HeaderName, Template), {}),
  body: z.optional(Template),
})
export type Call = z.output<typeof Call>

const Job = z.strictObject({
  id: Path,
  /** Other values of the answer that later calls need, by the name that their templates use. */
  keep: z._default(z.record(z.string(), Path), {}),
})

const State = z.strictObject({
  ...Call.shape,
  status: Path,
  /** Words of `status`, in lower case. Other words mean that the job is still running. */
  words: z.record(z.string(), z.enum(['queued', 'rendering', 'finished', 'failed'])),
  progress: z.optional(z.strictObject({ path: Path, outOf: z.enum(['1', '100']) })),
})

const Result = z.strictObject({
  /** Asked for after the last state; without it, the state holds the result. */
  call: z.optional(Call),
  url: Paths,
  seconds: z.optional(Path),
  cost: z.optional(z.strictObject({ path: Path, centsPerUnit: z.number().check(z.positive()) })),
  /** What a finished job without a video means. */
  missing: z._default(z.enum(['content_refused', 'provider_failed']), 'provider_failed'),
})

const Errors = z.strictObject({
  /** Where an answer names its error. What is found is compared with `match`, without case. */
  paths: Paths,
  match: z._default(z.record(z.string(), ErrorKind), {}),
  /** Kinds of create errors by HTTP status; a status that is not `unknown` certainly created no job. */
  statuses: z._default(z.record(Status, ErrorKind), {}),
})

const Cancel = z.strictObject({
  ...Call.shape,
  /** States in which the provider can cancel. */
  states: z._default(z.array(z.enum(['queued', 'rendering'])), ['queued', 'rendering']),
  tooLate: z._default(z.array(Status), ['400', '404', '409', '410']),
  /** Statuses that mean "cancellation in progress", after which the call is repeated. */
  again: z._default(z.array(Status), []),
})

/** Frames are sent as data URIs up to `dataUpTo` bytes, and uploaded above it. */
const Frames = z.strictObject({
  dataUpTo: z.int(),
  upload: z.optional(
    z.union([
      z.strictObject({ initiate: Call, putTo: Path, file: Path }),
      z.strictObject({ form: Call, field: z.string(), file: Path }),
    ]),
  ),
})
export type Upload = NonNullable<z.output<typeof Frames>['upload']>

const Webhook = z.strictObject({
  scheme: z.enum(['ed25519-fal', 'standard-webhooks', 'hint']),
  jobId: Path,
  /** Key set of `ed25519-fal`. */
  jwks: z.optional(z.url()),
  /** Call that returns the secret of `standard-webhooks`, and where it is in the answer. */
  secret: z.optional(z.strictObject({ call: Call, path: Path })),
  /** Field of a body that must be echoed. */
  challenge: z.optional(Path),
  /** Values of `job.keep` for a job whose create answer was lost, from `jobId`, `providerModel` and `modelApp`. */
  found: z._default(z.record(z.string(), Template), {}),
})

const Model = z.extend(ProviderModel, {
  /** Replaces `create.url` and `create.body` for this model. */
  url: z.optional(Template),
  body: z.optional(Template),
  /** Where the figures of cost come from, or that they are unknown. */
  priceSource: z.string().check(z.minLength(1)),
})
export type DefinedModel = z.output<typeof Model>

/** Providers with an adapter of their own. */
const CODED = ['demo', 'minimax', 'videos-api', 'comfyui']

const Shape = z.strictObject({
  name: z.string().check(
    z.regex(/^[a-z][a-z0-9-]{0,31}$/),
    z.refine((name) => !CODED.includes(name), 'is the name of an adapter'),
  ),
  names: Text,
  /** Where the facts come from, and what is not verified. */
  source: z.string(),
  baseUrl: z.url(),
  /** Setting that replaces `baseUrl`. */
  baseUrlVariable: z.optional(z.literal('MINIMAX_BASE_URL')),
  /** Further origins that receive the key. */
  origins: z._default(z.array(z.url()), []),
  key: z.strictObject({
    variable: z.string().check(z.regex(/^[A-Z][A-Z0-9_]{2,63}$/)),
    header: HeaderName,
    prefix: z._default(z.string(), ''),
  }),
  headers: z._default(z.record(HeaderName, z.string()), {}),
  rate: z.strictObject({
    creates: z.int().check(z.positive()),
    queries: z.int().check(z.positive()),
    pollSeconds: z.int().check(z.positive(), z.maximum(60)),
  }),
  frames: Frames,
  create: z.strictObject({ ...Call.shape, job: Job }),
  /** Renders a finished job again in another resolution. Its answer is that of `create`. */
  regenerate: z.optional(Call),
  state: State,
  result: Result,
  errors: Errors,
  cancel: z.optional(Cancel),
  webhook: z.optional(Webhook),
  /** Call without effect that shows whether the provider answers and accepts the key. */
  check: Call,
  models: z.array(Model),
  examples: Examples,
})

/** Values that templates of `create` can use. */
const REQUEST_VALUES = [
  ...['taskId', 'taskType', 'providerModel', 'modelApp', 'prompt', 'promptOptimizer', 'movements', 'resolution'],
  ...['duration', 'firstFrame', 'lastFrame', 'references', 'aspectRatio', 'seed', 'negativePrompt', 'sound'],
  ...['callbackUrl', 'item'],
]

export const Definition = Shape.check((context) => {
  const { create, regenerate, state, result, cancel, models, webhook } = context.value
  const check = (path: string, templates: object | undefined, known: readonly string[]) => {
    for (const name of referencesOf((templates ?? {}) as never))
      if (!known.includes(name))
        context.issues.push({ code: 'custom', input: name, path: [path], message: `unknown value {${name}}` })
  }
  const { job, ...createCall } = create
  const jobValues = ['jobId', ...Object.keys(job.keep)]
  check('create', createCall, REQUEST_VALUES)
  check('regenerate', regenerate, [...REQUEST_VALUES, 'sourceJobId'])
  check(
    'models',
    models.map(({ url, body }) => ({ url: url ?? '', body: body ?? '' })),
    REQUEST_VALUES,
  )
  check('state', { url: state.url, query: state.query }, jobValues)
  check('result', result.call && { url: result.call.url }, jobValues)
  check('cancel', cancel && { url: cancel.url, body: cancel.body ?? '' }, jobValues)
  check('webhook', webhook?.found, ['jobId', 'providerModel', 'modelApp'])
})
export type Definition = z.output<typeof Shape>
