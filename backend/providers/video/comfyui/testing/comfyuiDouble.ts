import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { type WebSocket, WebSocketServer } from 'ws'
import { findFfmpeg } from '#backend/kernel/media/ffmpeg.ts'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { type Answer, formOf, type Received, startEngineServer } from '../../testing/engineServer.ts'
import { CORE_NODES, describeNode } from './nodeDescriptions.ts'

export interface DoubleJob {
  readonly id: string
  readonly graph: Readonly<Record<string, { readonly class_type: string; readonly inputs: Record<string, unknown> }>>
  readonly clientId: string
  readonly createdAt: number
  finishAt: number
  stopAt?: number
  state: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled'
  error?: string
}

interface Options {
  /** Plays a server without `/api/jobs`. */
  readonly older?: boolean
  /** Header that a proxy before the server demands. */
  readonly header?: readonly [name: string, value: string]
}

const FRAME = /\.(png|jpe?g|webp)/i
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NOT_FOUND: Answer = { status: 404, body: '404: Not Found' }
const refuse = (type: string, message: string, details = '', node_errors: object = {}): Answer => ({
  status: 400,
  body: { error: { type, message, details, extra_info: {} }, node_errors },
})

export type ComfyuiDouble = Awaited<ReturnType<typeof startComfyuiDouble>>

/**
 * Starts a local test double of ComfyUI's documented server, with its socket. It serves a prepared video that contains
 * the graph, as ComfyUI's do. It verifies the adapter, not the real server.
 */
export async function startComfyuiDouble({ older = false, header }: Options = {}) {
  const jobs = new Map<string, DoubleJob>()
  const clients = new Map<string, WebSocket>()
  const sockets = new WebSocketServer({ noServer: true })

  const route = async (received: Received): Promise<Answer> => {
    const { url, headers } = received
    if (headers.origin) return { status: 403, body: '' }
    if (header && headers[header[0].toLowerCase()] !== header[1]) return { status: 401, body: 'Unauthorized' }
    const [, area = '', id = '', action] = url.pathname.replace(/^\/api\/(?!jobs)/, '/').split('/')
    if (area === 'api') return older ? NOT_FOUND : job(received)
    switch (`${received.call.split(' ')[0]} /${area}`) {
      case 'POST /prompt':
        return queue(received)
      case 'POST /upload':
        return action === undefined && id === 'image' ? upload(received) : NOT_FOUND
      case 'GET /history':
        return { body: id && endedJob(id) ? { [id]: historyOf(endedJob(id)!) } : {} }
      case 'POST /history':
        for (const each of json(received).delete as string[]) if (endedJob(each)) jobs.delete(each)
        return { body: '' }
      case 'GET /queue':
        return { body: { queue_running: queued('in_progress'), queue_pending: queued('pending') } }
      case 'POST /queue':
        for (const each of json(received).delete as string[]) if (stateOf(each) === 'pending') jobs.delete(each)
        return { body: '' }
      case 'POST /interrupt':
        return interrupt(received.body.length > 0 ? String(json(received).prompt_id ?? '') : '')
      case 'GET /view':
        if (url.searchParams.get('type') === 'input') return viewInput(url)
        return { body: double.frame && FRAME.test(String(url)) ? double.frame : double.video }
      case 'GET /system_stats':
        return { body: { system: { os: 'posix' }, devices: [GPU] } }
      case 'GET /object_info':
        return { body: Object.fromEntries(described(id).map((name) => [name, describeNode(name)])) }
      default:
        return NOT_FOUND
    }
  }

  const server = await startEngineServer(route, (request, socket, head) => {
    const url = new URL(request.url ?? '/', 'http://double')
    const isRefused = request.headers.origin || (header && request.headers[header[0].toLowerCase()] !== header[1])
    if (url.pathname !== '/ws' || isRefused) return void socket.destroy()
    sockets.handleUpgrade(request, socket, head, (client) => {
      const id = url.searchParams.get('clientId') ?? ''
      clients.set(id, client)
      client.send(JSON.stringify({ type: 'status', data: { status: { exec_info: { queue_remaining: 0 } }, sid: id } }))
    })
  })

  const double = Object.assign(server, {
    video: await videoWithGraph(),
    jobs,
    clients,
    /** Graphs in the order in which they were queued. */
    started: [] as DoubleJob[],
    uploads: new Map<string, Buffer>(),
    nodes: CORE_NODES,
    /** What the server says of nodes that it leaves out of the next graphs. Another output remains. */
    nodeErrors: {} as Readonly<Record<string, object>>,
    renderMs: 50,
    /** Makes new jobs wait behind another user's job. */
    busy: false,
    /** Name of the list in which the output node reports the video. */
    outputList: 'images',
    filename: 'kinora_00001_.mp4',
    /** Number of files that the output node saves, and the picture that each one is if it is no video. */
    files: 1,
    frame: undefined as Buffer | undefined,
    /** Time that the step takes in which a cancelled job is. It runs until then. */
    stepMs: 0,
    /** Restarts the server, which keeps queue and history in memory. */
    restart: () => jobs.clear(),
    /** Sends the progress of a job and a preview (JPEG) to the client that queued it. */
    sendProgress(id: string, value: number, max: number, preview: Uint8Array = Buffer.alloc(0)) {
      const client = clients.get(jobs.get(id)?.clientId ?? '')
      client?.send(JSON.stringify({ type: 'progress', data: { node: '3', prompt_id: id, value, max } }))
      client?.send(Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 1]), preview]))
    },
  })

  const described = (id: string) => double.nodes.filter((name) => id === '' || name === id)

  const queue = (received: Received): Answer => {
    const { prompt: graph, prompt_id: id, client_id: clientId } = json(received)
    if (!UUID.test(id)) return refuse('invalid_prompt_id', 'prompt_id must be a canonical UUID')
    const [unknown] = Object.entries<DoubleJob['graph'][string]>(graph).filter(
      ([, { class_type }]) => !double.nodes.includes(class_type),
    )
    if (unknown) {
      const [node, { class_type }] = unknown
      const message = `Cannot execute because node ${class_type} does not exist.`
      return refuse('invalid_prompt', message, `Node ID '#${node}'`)
    }
    const broken = brokenLinks(graph)
    const leftOut = new Set(Object.values(broken).flatMap(({ dependent_outputs }) => dependent_outputs))
    if (leftOut.size > 0 && leftOut.size === outputsIn(graph).length)
      return refuse('prompt_outputs_failed_validation', 'Prompt outputs failed validation', '', broken)
    const now = Date.now()
    const state = double.busy ? 'pending' : 'in_progress'
    const started = { id, graph, clientId, createdAt: now, finishAt: now + double.renderMs, state } as const
    jobs.set(id, { ...started })
    double.started.push(jobs.get(id)!)
    const node_errors = { ...broken, ...double.nodeErrors }
    return { body: { prompt_id: id, number: double.started.length, node_errors } }
  }

  const stateOf = (id: string): DoubleJob['state'] | undefined => {
    const found = jobs.get(id)
    if (found?.state === 'in_progress' && Date.now() >= (found.stopAt ?? found.finishAt))
      found.state = found.stopAt === undefined ? 'completed' : 'cancelled'
    return found?.state
  }

  const queued = (state: DoubleJob['state']) =>
    [...jobs.values()].filter(({ id }) => stateOf(id) === state).map(({ id, graph }, n) => [n, id, graph, {}, []])

  const endedJob = (id: string) => {
    const state = stateOf(id)
    return state === 'pending' || state === 'in_progress' ? undefined : jobs.get(id)
  }

  const outputsOf = ({ state }: DoubleJob) => {
    const saved = Array.from({ length: double.files }, (_, n) => {
      const filename = double.filename.replace('00001', String(n + 1).padStart(5, '0'))
      return { filename, subfolder: 'video', type: 'output' }
    })
    const preview = { filename: 'preview.mp4', subfolder: '', type: 'temp' }
    return state === 'completed' ? { '9': { [double.outputList]: [preview, ...saved], animated: [true] } } : {}
  }

  const historyOf = (ended: DoubleJob) => {
    const { id, graph, state, createdAt: timestamp, error = '' } = ended
    const [event, status_str] =
      state === 'completed'
        ? ['execution_success', 'success']
        : [state === 'failed' ? 'execution_error' : 'execution_interrupted', 'error']
    const messages = [
      ['execution_start', { prompt_id: id, timestamp }],
      [
        event,
        { prompt_id: id, node_id: '3', node_type: 'KSampler', exception_message: error, timestamp: timestamp + 2_000 },
      ],
    ]
    const status = { status_str, completed: state === 'completed', messages }
    return { prompt: [0, id, graph, {}, []], outputs: outputsOf(ended), status }
  }

  const job = (received: Received): Answer => {
    const [, , , id = '', action] = received.url.pathname.split('/')
    const state = stateOf(id)
    if (action === 'cancel') {
      const cancels = state === 'pending' || state === 'in_progress'
      if (state === 'pending') jobs.delete(id)
      if (state === 'in_progress') stop(jobs.get(id)!)
      return { body: { cancelled: cancels } }
    }
    const found = jobs.get(id)
    if (!found) return { status: 404, body: { error: 'Job not found' } }
    const common = { id, status: state, priority: 0, create_time: found.createdAt }
    if (state === 'pending' || state === 'in_progress') return { body: { ...common, outputs_count: 0 } }
    const outputs = outputsOf(found)
    const times = { execution_start_time: found.createdAt, execution_end_time: found.createdAt + 2_000 }
    const execution_error =
      state === 'failed' ? { node_id: '3', node_type: 'KSampler', exception_message: found.error } : undefined
    const workflow = { prompt: found.graph, extra_data: {} }
    return { body: { ...common, ...times, execution_error, outputs, outputs_count: 1, workflow } }
  }

  const stop = (running: DoubleJob) => {
    running.stopAt ??= Date.now() + double.stepMs
    stateOf(running.id)
  }

  /** Without an id, the server stops whatever runs. */
  const interrupt = (id: string): Answer => {
    for (const each of jobs.values()) if (stateOf(each.id) === 'in_progress' && (!id || each.id === id)) stop(each)
    return { body: '' }
  }

  const viewInput = (url: URL): Answer => {
    const image = double.uploads.get(`${url.searchParams.get('subfolder')}/${url.searchParams.get('filename')}`)
    return image ? { body: image, headers: { 'content-type': 'image/jpeg' } } : { status: 404, body: '' }
  }

  const upload = async (received: Received): Promise<Answer> => {
    const form = await formOf(received)
    const image = form.get('image')
    if (!(image instanceof File)) return { status: 400, body: '' }
    const subfolder = String(form.get('subfolder') ?? '')
    double.uploads.set(`${subfolder}/${image.name}`, Buffer.from(await image.arrayBuffer()))
    return { body: { name: image.name, subfolder, type: String(form.get('type') ?? 'input') } }
  }

  return double
}

/** Says which outputs are left out because a node refers to one that is not there. */
function brokenLinks(graph: DoubleJob['graph']): Readonly<Record<string, { readonly dependent_outputs: string[] }>> {
  const linksOf = (id: string) =>
    Object.values(graph[id]?.inputs ?? {}).flatMap((value) => (Array.isArray(value) ? [String(value[0])] : []))
  const needs = (id: string, node: string): boolean => id === node || linksOf(id).some((link) => needs(link, node))
  const broken = Object.keys(graph).flatMap((id) => {
    const missing = linksOf(id).find((link) => !graph[link])
    const dependent_outputs = outputsIn(graph).filter((output) => needs(output, id))
    if (missing === undefined || dependent_outputs.length === 0) return []
    const type = 'exception_during_inner_validation'
    const errors = [{ type, message: 'Exception when validating inner node', details: `'${missing}'` }]
    return [[id, { errors, dependent_outputs, class_type: graph[id]!.class_type }] as const]
  })
  return Object.fromEntries(broken)
}

const outputsIn = (graph: DoubleJob['graph']) =>
  Object.keys(graph).filter((id) => graph[id]!.class_type.startsWith('Save'))

const GPU = { name: 'cuda:0 NVIDIA GeForce RTX 4090', type: 'cuda', vram_total: 24 * 2 ** 30, vram_free: 20 * 2 ** 30 }

const json = ({ body }: Received) => JSON.parse(body.toString())

/** Makes a video with a graph in its metadata, as ComfyUI's SaveVideo does. */
async function videoWithGraph(): Promise<Buffer> {
  const plain = await makeTinyVideo()
  const file = path.join(path.dirname(plain), `${randomUUID()}.mp4`)
  const graph = JSON.stringify({ '6': { class_type: 'CLIPTextEncode', inputs: { text: 'a secret prompt' } } })
  const metadata = ['-metadata', `prompt=${graph}`, '-metadata:s:v', `title=${graph}`, '-metadata', `comment=${graph}`]
  const flags = ['-c', 'copy', '-movflags', '+faststart+use_metadata_tags', file]
  await promisify(execFile)(await findFfmpeg(), ['-y', '-i', plain, ...metadata, ...flags])
  return readFile(file)
}
