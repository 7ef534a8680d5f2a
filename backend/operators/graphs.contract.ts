import * as z from 'zod/mini'
import { endpoint } from '../kernel/http/contract.ts'

/** Values of an order that a graph can receive, each in an input of a node. */
export const BINDINGS = [
  'prompt',
  'negativePrompt',
  'seed',
  'width',
  'height',
  'frames',
  'seconds',
  'firstFrame',
  'lastFrame',
] as const
export type BindingName = (typeof BINDINGS)[number]

/** Workflows of the editor contain its layout. */
const MAX_BYTES = 1 << 20
const success = z.literal(true)
const Name = z.string('required').check(z.trim(), z.minLength(1, 'required'), z.maxLength(80, 'invalid'))
const Place = z.string().check(z.maxLength(200, 'invalid'))
const Bindings = z.partialRecord(z.enum(BINDINGS), Place)
const Node = z.looseObject({ class_type: z.string(), inputs: z.record(z.string(), z.unknown()) })

const draft = {
  /** In the form of ComfyUI's API. */
  graph: z.record(z.string(), Node),
  bindings: Bindings,
  /** Node that saves the video. */
  output: Place,
  fps: z.number('invalid').check(z.positive('invalid'), z.maximum(240, 'invalid')),
}
export const GraphDraft = z.object(draft)

const Choice = z.object({ place: z.string(), label: z.string() })
export const GraphProposal = z.object({
  ...draft,
  output: z.nullable(z.string()),
  /** Inputs that a value could be bound to, by the value. */
  places: z.record(z.string(), z.array(Choice)),
  outputs: z.array(Choice),
  /** Size and length that the graph was saved with. */
  resolution: z.nullable(z.string()),
  seconds: z.nullable(z.number()),
  /** Why the server could not run the graph: missing nodes and models. */
  faults: z.array(z.string()),
})

const Seconds = z.int('invalid').check(z.positive('invalid'), z.maximum(600, 'invalid'))
const Resolution = z.string().check(z.regex(/^\w{1,16}$/, 'invalid'))

export const GraphEntry = z.object({
  ...draft,
  /** Name of its file, and of the model in orders. */
  id: z.string('required').check(z.regex(/^[a-z0-9][a-z0-9-]{0,59}$/, 'invalid')),
  names: z.object({ en: Name, zh: Name }),
  resolutions: z.array(Resolution).check(z.minLength(1, 'required'), z.maxLength(8, 'invalid')),
  seconds: z.array(Seconds).check(z.minLength(1, 'required'), z.maxLength(30, 'invalid')),
  credits: z.int('invalid').check(z.positive('invalid'), z.maximum(1_000_000, 'invalid')),
  replace: z._default(z.boolean(), false),
})

export const GraphTestState = z.object({
  state: z.enum(['waiting', 'rendering', 'finished', 'failed']),
  detail: z.nullable(z.string()),
})

export const graphs = endpoint('GET /analytics/graphs', {
  access: 'operator',
  answer: z.object({
    success,
    data: z.object({
      /** Whether a ComfyUI server is configured. */
      available: z.boolean(),
      ok: z.boolean(),
      detail: z.string(),
      graphs: z.array(z.object({ id: z.string(), names: z.object({ en: z.string(), zh: z.string() }) })),
    }),
  }),
  summary: 'The graphs of the ComfyUI server, and whether it can run them',
})

const refuses = ['not_found', 'graph_refused', 'unavailable']

export const inspectGraph = endpoint('POST /analytics/graphs/inspect', {
  access: 'operator',
  role: 'owner',
  body: z.object({ workflow: z.record(z.string(), z.unknown()) }),
  maxBytes: MAX_BYTES,
  answer: GraphProposal,
  refuses,
  summary: 'Reads a workflow of ComfyUI’s editor or API, and proposes what to bind',
})

export const testGraph = endpoint('POST /analytics/graphs/test', {
  access: 'operator',
  role: 'owner',
  body: z.object({
    ...draft,
    prompt: z.string().check(z.maxLength(2_000, 'prompt_too_long')),
    resolution: Resolution,
    seconds: Seconds,
  }),
  maxBytes: MAX_BYTES,
  answer: z.object({ test_id: z.string() }),
  status: 202,
  refuses,
  summary: 'Starts a test render with a graph; it costs no credits',
})

const test = { output: Place, fps: z.coerce.number().check(z.positive('invalid'), z.maximum(240, 'invalid')) }
export const graphTest = endpoint('GET /analytics/graphs/test/:id', {
  access: 'operator',
  query: z.object({ output: test.output }),
  answer: GraphTestState,
  refuses,
  summary: 'How far a test render is',
})
export const graphTestPicture = endpoint('GET /analytics/graphs/test/:id/picture', {
  access: 'operator',
  query: z.object(test),
  file: 'image/jpeg',
  refuses,
  summary: 'A still of a finished test render, which then leaves the server’s history',
})

export const saveGraph = endpoint('POST /analytics/graphs', {
  access: 'operator',
  role: 'owner',
  body: GraphEntry,
  maxBytes: MAX_BYTES,
  answer: z.object({ id: z.string() }),
  status: 201,
  refuses: [...refuses, 'step_up_required', 'graph_exists'],
  summary: 'Stores a graph, which becomes a model',
})
