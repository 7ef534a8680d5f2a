import * as z from 'zod/mini'
import { type HttpAnswer, httpCall } from '../httpCall.ts'
import { kindOfHttpStatus, ProviderError } from '../providerError.ts'
import { HistoryEntry, Job, jobOfHistory } from './comfyuiJob.ts'
import { ObjectInfo } from './setup/objectInfo.ts'

/** Folder of uploaded pictures below ComfyUI's `input`. */
const FOLDER = 'kinora'
const ONE_PIXEL = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==',
  'base64',
)

/** The queue contains every waiting graph, with the text of its prompt. */
const MAX_QUEUE_BYTES = 64 * 2 ** 20
/** Servers with many custom nodes describe thousands. */
const MAX_NODES_BYTES = 64 * 2 ** 20

export interface ComfyuiAccess {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** For the proxy before ComfyUI, which has no access control of its own. */
  readonly headers: Readonly<Record<string, string>>
  readonly connectTimeoutMs: number
  readonly timeoutMs: number
}

const QueueItems = z.array(z.array(z.unknown()))
const Queue = z.object({ queue_running: QueueItems, queue_pending: QueueItems })
const Uploaded = z.object({ name: z.string(), subfolder: z._default(z.string(), '') })
const NodeErrors = z.record(
  z.string(),
  z.object({
    class_type: z._default(z.string(), ''),
    errors: z._default(
      z.array(z.object({ message: z._default(z.string(), ''), details: z._default(z.string(), '') })),
      [],
    ),
    /** Output nodes that are not executed because of the node. */
    dependent_outputs: z._default(z.array(z.string()), []),
  }),
)
const Accepted = z.object({ prompt_id: z.string(), node_errors: z.catch(z.optional(NodeErrors), undefined) })
const Refusal = z.object({
  error: z.union([z.string(), z.object({ message: z._default(z.string(), ''), details: z._default(z.string(), '') })]),
  node_errors: z.catch(z.optional(NodeErrors), undefined),
})
const Stats = z.object({
  devices: z._default(z.array(z.object({ name: z.string(), vram_total: z.number(), vram_free: z.number() })), []),
})

interface Queued {
  readonly clientId: string
  readonly output: string | undefined
}

export type ComfyuiClient = ReturnType<typeof createComfyuiClient>

function createCall({ baseUrl, headers, connectTimeoutMs, timeoutMs }: ComfyuiAccess) {
  return async (
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
    { body, maxBytes }: { readonly body?: object; readonly maxBytes?: number } = {},
  ) => {
    const encoded = body && (body instanceof FormData ? new Response(body) : Response.json(body))
    return httpCall(new URL(`${baseUrl}${path}`), {
      method,
      headers: { ...headers, ...(encoded ? { 'Content-Type': encoded.headers.get('content-type')! } : {}) },
      body: encoded && new Uint8Array(await encoded.arrayBuffer()),
      connectTimeoutMs,
      timeoutMs,
      signal,
      maxBytes,
    })
  }
}

type Call = ReturnType<typeof createCall>

/**
 * Reads a job from the lists of a server without `/api/jobs`. A job moves from the queue to the history, so the queue is
 * read first.
 */
async function readOlder(call: Call, id: string, signal: AbortSignal): Promise<Job | undefined> {
  const queue = parse(Queue, await call('GET', '/queue', signal, { maxBytes: MAX_QUEUE_BYTES }))
  const has = (items: readonly (readonly unknown[])[]) => items.some(([, promptId]) => promptId === id)
  if (has(queue.queue_running)) return { status: 'in_progress' }
  if (has(queue.queue_pending)) return { status: 'pending' }
  const history = parse(z.record(z.string(), HistoryEntry), await call('GET', `/history/${id}`, signal))
  return history[id] && jobOfHistory(history[id])
}

/** Creates a client for ComfyUI's server. Its methods throw ProviderError or NotSent, or another error of transport. */
export function createComfyuiClient(access: ComfyuiAccess) {
  const call = createCall(access)
  const post = (path: string, signal: AbortSignal, body: object) => call('POST', path, signal, { body })

  return {
    /** Returns a job, or undefined if the server does not know it. */
    async read(id: string, signal: AbortSignal): Promise<Job | undefined> {
      const encoded = encodeURIComponent(id)
      const answer = await call('GET', `/api/jobs/${encoded}`, signal)
      if (answer.status !== 404) return parse(Job, answer)
      // Servers without this call answer 404 as text.
      return z.safeParse(Refusal, jsonOf(answer)).success ? undefined : readOlder(call, encoded, signal)
    },

    /**
     * Queues a graph under our id. The server does not refuse a second one with the same id. It also queues a graph of which it will
     * leave out nodes, as long as another output remains.
     * @param output the node that saves the video; undefined: any
     * @throws ProviderError invalid_request if the node that saves the video is left out
     */
    async queue(id: string, graph: object, { clientId, output }: Queued, signal: AbortSignal): Promise<void> {
      const body = { prompt: graph, prompt_id: id, client_id: clientId }
      const faults = faultsOfOutput(await post('/prompt', signal, body), id, output)
      if (faults === undefined) return
      // It may have begun already.
      for (const isRunning of [false, true]) await this.cancel(id, isRunning, signal).catch(() => {})
      throw new ProviderError('invalid_request', `ComfyUI would make no video${faults}`)
    },

    /** Uploads a picture. Returns the name by which a graph refers to it. */
    async upload(name: string, image: Buffer, signal: AbortSignal): Promise<string> {
      const { name: stored, subfolder } = parse(Uploaded, await post('/upload/image', signal, formOf(name, image)))
      return subfolder ? `${subfolder}/${stored}` : stored
    },

    /** Overwrites an uploaded picture with one of a single pixel, because the server deletes none. Does nothing if there is none. */
    async blank(name: string, signal: AbortSignal): Promise<void> {
      const at = new URLSearchParams({ filename: name, subfolder: FOLDER, type: 'input', preview: 'jpeg;1' })
      if ((await call('GET', `/view?${at}`, signal)).status === 200) await this.upload(name, ONE_PIXEL, signal)
    },

    /** Cancels a waiting or running job. Returns whether the server did. */
    async cancel(id: string, isRunning: boolean, signal: AbortSignal): Promise<boolean> {
      const answer = await post(`/api/jobs/${encodeURIComponent(id)}/cancel`, signal, {})
      if (answer.status !== 404 && answer.status !== 405)
        return parse(z.object({ cancelled: z.boolean() }), answer).cancelled
      // Older servers. `/interrupt` must name the job: without a body it stops any job that runs.
      const older = isRunning ? post('/interrupt', signal, { prompt_id: id }) : post('/queue', signal, { delete: [id] })
      checkStatus(await older)
      return true
    },

    /** Removes a job, with its prompt, from the server's history. */
    async forget(id: string, signal: AbortSignal): Promise<void> {
      checkStatus(await post('/history', signal, { delete: [id] }))
    },

    viewUrl: (file: { readonly filename: string; readonly subfolder: string; readonly type: string }) =>
      `${access.baseUrl}/view?${new URLSearchParams({ filename: file.filename, subfolder: file.subfolder, type: file.type })}`,

    ...inventoryOf(call),
  }
}

/** Creates the questions for what the server has. */
const inventoryOf = (call: ReturnType<typeof createCall>) => ({
  devices: async (signal: AbortSignal) => parse(Stats, await call('GET', '/system_stats', signal)).devices,

  /** Returns every node that the server has. */
  nodes: async (signal: AbortSignal) =>
    parse(ObjectInfo, await call('GET', '/object_info', signal, { maxBytes: MAX_NODES_BYTES })),

  async hasNode(className: string, signal: AbortSignal): Promise<boolean> {
    const answer = await call('GET', `/object_info/${encodeURIComponent(className)}`, signal)
    return className in parse(z.looseObject({}), answer)
  },
})

function formOf(name: string, image: Buffer): FormData {
  const form = new FormData()
  form.set('image', new Blob([new Uint8Array(image)], { type: 'image/jpeg' }), name)
  for (const [field, value] of Object.entries({ subfolder: FOLDER, type: 'input', overwrite: 'true' }))
    form.set(field, value)
  return form
}

function jsonOf({ body }: HttpAnswer): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function parse<S extends z.ZodMiniType>(schema: S, answer: HttpAnswer): z.output<S> {
  checkStatus(answer)
  const parsed = z.safeParse(schema, jsonOf(answer))
  if (parsed.success) return parsed.data
  throw new ProviderError('unknown', 'ComfyUI answered with an unexpected body')
}

function checkStatus(answer: HttpAnswer): void {
  const { status } = answer
  if (status >= 200 && status < 300) return
  const parsed = z.safeParse(Refusal, jsonOf(answer))
  const { error = '', node_errors = {} } = parsed.success ? parsed.data : {}
  const text = typeof error === 'string' ? error : `${error.message} ${error.details}`.trim()
  const where = faultsOf(node_errors)
  throw new ProviderError(kindOfHttpStatus(status), `ComfyUI answered HTTP ${status} ${text}`.trim() + where)
}

/** Names the nodes because of which the one that saves the video is left out; undefined if there are none. */
function faultsOfOutput(answer: HttpAnswer, id: string, output: string | undefined): string | undefined {
  const { prompt_id, node_errors = {} } = parse(Accepted, answer)
  if (prompt_id !== id) throw new ProviderError('unknown', 'ComfyUI queued the graph under another id')
  const leftOut = Object.entries(node_errors).filter(
    ([node, { dependent_outputs }]) => output === undefined || node === output || dependent_outputs.includes(output),
  )
  return leftOut.length > 0 ? faultsOf(Object.fromEntries(leftOut)) : undefined
}

/** Names the nodes at fault, each with the server's sentence. */
function faultsOf(nodes: z.output<typeof NodeErrors>): string {
  const faults = Object.entries(nodes).map(([node, { class_type, errors }]) => {
    const sentences = errors.map(({ message, details }) => [message, details].filter(Boolean).join(': '))
    return ` at node ${node}${class_type && ` (${class_type})`}${sentences.length > 0 ? `: ${sentences.join('; ')}` : ''}`
  })
  return faults.join(',')
}
