import * as z from 'zod/mini'
import { endpoint } from '../kernel/http/contract.ts'

const success = z.literal(true)
/** What an engine is: a server of the `/v1/videos` shape, a ComfyUI server, or a hosted provider with a key. */
export const ENGINE_KINDS = ['videos-api', 'comfyui', 'hosted'] as const
const Kind = z.enum(ENGINE_KINDS, 'invalid_choice')
const Address = z.string().check(z.maxLength(300, 'too_long'), z.regex(/^https?:\/\/[^\s/]+/, 'invalid_url'))
const Secret = z.string().check(z.maxLength(500, 'too_long'))
const Name = z.string().check(z.regex(/^[\w.:/@-]{1,120}$/, 'invalid'))

const Engine = z.object({
  /** Its name in the routes of models. */
  name: z.string(),
  kind: Kind,
  /** Who has connected it: the settings of the process, or the board. */
  by: z.enum(['settings', 'board']),
  url: z.nullable(z.string()),
  ok: z.boolean(),
  /** What the engine said, or what to do. */
  detail: z.string(),
})
export type Engine = z.infer<typeof Engine>

const Shape = z.object({
  resolutions: z.array(z.string()),
  /** Shortest and longest. */
  seconds: z.array(z.number()),
  /** Price of the shortest video. */
  credits: z.number(),
  /** What the shortest video costs the operator; null if that is not known. */
  cents: z.nullable(z.number()),
})
const PricedModel = z.object({
  id: z.string(),
  names: z.object({ en: z.string(), zh: z.string() }),
  engine: z.string(),
  /** Whether no one has set a price, so that the default applies. */
  unpriced: z.boolean(),
  shapes: z.array(Shape),
})
export type PricedModel = z.infer<typeof PricedModel>

export const EngineBoard = z.object({
  /** Whether all videos are drawn by the demo. */
  demo: z.boolean(),
  engines: z.array(Engine),
  /** Hosted providers that a key connects. */
  hosted: z.array(z.object({ name: z.string(), variable: z.string() })),
  models: z.array(PricedModel),
  /** What a credit earns at least, in US cents. */
  credit_cents: z.number(),
})

export const engines = endpoint('GET /analytics/engines', {
  access: 'operator',
  answer: z.object({
    success,
    data: z.extend(EngineBoard, {
      /** Whether an owner has signed in only once: the sign-in leads to the wizard while there is no engine. */
      first_sign_in: z.boolean(),
    }),
  }),
  summary: 'The video engines, the models that they offer, and their prices',
})

export const FoundEngines = z.object({
  found: z.array(z.object({ kind: Kind, url: z.string(), detail: z.string() })),
})

export const findEngines = endpoint('POST /analytics/engines/find', {
  access: 'operator',
  role: 'owner',
  body: z.object({ address: z.optional(Address) }),
  answer: FoundEngines,
  summary: 'Looks for engines at an address or, without one, at the usual ones of this machine and its network',
})

export const EngineConnection = z.object({
  engine: Kind,
  /** Of a server. */
  address: z.optional(Address),
  /** The key's variable, for a hosted provider. */
  variable: z.optional(Name),
  key: z.optional(Secret),
})

export const connectEngine = endpoint('PUT /analytics/engines', {
  access: 'operator',
  role: 'owner',
  body: EngineConnection,
  refuses: ['step_up_required', 'engine_refused'],
  status: 204,
  summary: 'Connects an engine without a restart. Its key is stored sealed',
})

export const disconnectEngine = endpoint('DELETE /analytics/engines/:id', {
  access: 'operator',
  role: 'owner',
  refuses: ['step_up_required', 'not_found'],
  status: 204,
  summary: 'Forgets an engine that was connected on the board, and its key',
})

export const TestClip = z.object({
  model: Name,
  prompt: z.string().check(z.minLength(1, 'required'), z.maxLength(500, 'too_long')),
})

export const testEngine = endpoint('POST /analytics/engines/test', {
  access: 'operator',
  role: 'owner',
  body: TestClip,
  answer: z.object({ test_id: z.string() }),
  refuses: ['not_found', 'engine_refused'],
  status: 202,
  summary: 'Starts a test clip with a model, which costs no credits',
})

export const engineTest = endpoint('GET /analytics/engines/test/:id', {
  access: 'operator',
  answer: z.object({ state: z.enum(['waiting', 'rendering', 'finished', 'failed']), detail: z.nullable(z.string()) }),
  refuses: ['not_found'],
  summary: 'How far a test clip is',
})

export const engineTestClip = endpoint('GET /analytics/engines/test/:id/clip', {
  access: 'operator',
  file: 'video/mp4',
  refuses: ['not_found', 'engine_refused'],
  summary: 'A finished test clip',
})

const Price = z.object({
  credits: z.int('invalid_number').check(z.gte(1, 'too_small'), z.lte(1_000_000, 'too_large')),
  /** Null: the cost is unknown. */
  cents: z.nullable(z.number('invalid_number').check(z.gte(0, 'too_small'), z.lte(1_000_000, 'too_large'))),
})

export const ModelPrices = z.object({
  model: Name,
  /** For each shape of the model: price and cost of its shortest video. */
  prices: z.array(Price).check(z.minLength(1, 'required'), z.maxLength(50, 'too_many')),
})

export const priceModel = endpoint('PUT /analytics/engines/price', {
  access: 'operator',
  role: 'owner',
  body: ModelPrices,
  refuses: ['step_up_required', 'not_found', 'engine_refused'],
  status: 204,
  summary: 'Sets the prices of a model, and what it costs the operator, in the catalogue',
})
