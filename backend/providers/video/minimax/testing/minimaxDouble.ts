import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { bodyFault, type CreateBody } from './bodyFault.ts'

/** A fault to inject into one call. */
export type Fault =
  /** Responds with HTTP 200 and this MiniMax error code. */
  | { readonly code: number }
  | { readonly status: number; readonly text?: string }
  /** Responds correctly after this delay in milliseconds. */
  | { readonly lateMs: number }
  /** Closes the connection after this number of bytes of a file, once the client has taken them. */
  | { readonly cutAt: number; readonly taken: () => Promise<unknown> }
  /** The call has no effect. It gets no response, or the connection is reset. */
  | 'hang'
  | 'reset'
  /** The call takes effect, but its response is lost. */
  | 'done, then hang'
  | 'done, then reset'

export interface Job {
  readonly jobId: string
  /** Sent as a number with more digits than a double can represent. */
  readonly fileId: string
  readonly body: CreateBody
  readonly finishAt: number
  /** Overrides the status derived from `finishAt`. */
  status?: string
}

type Call = 'create' | 'query' | 'retrieve' | 'file'

export const DOUBLE_KEY = 'sk-double-secret'
const FIRST_FILE_ID = 9_007_199_254_740_993n

export type MinimaxDouble = Awaited<ReturnType<typeof startMinimaxDouble>>

/**
 * Starts a local test double of MiniMax's documented video API, which serves a prepared video. It verifies the adapter,
 * not the real service.
 */
export async function startMinimaxDouble({
  renderMs = 50,
  perWindow = Number.POSITIVE_INFINITY,
  windowMs = 60_000,
  host = '127.0.0.1',
} = {}) {
  const sockets = new Set<Socket>()
  const jobs = new Map<string, Job>()
  const times: number[] = []
  const double = {
    url: '',
    /** The file of every job. */
    video: await readFile(await makeTinyVideo()),
    jobs,
    /** Bodies of all received create calls, including failed ones. */
    reached: [] as CreateBody[],
    calls: [] as { readonly call: Call; readonly range: string | undefined }[],
    /** Sent callbacks and their responses. */
    sentCallbacks: [] as { readonly body: string; readonly status: number; readonly answer: string }[],
    /** Returns the fault to inject into a call, if any. `_count` numbers the calls of a kind from 1. */
    fault: (_call: Call, _count: number): Fault | undefined => undefined,
    linkMs: 3_600_000,
    renderMs,
    /** Stops listening and closes all connections. */
    async goAway() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await delay(10)
    },
    comeBack: () => listen(Number(new URL(double.url).port)),
    /** Sends a callback about a job in MiniMax's format: unsigned, with the status in lower case. */
    async sendCallback(job: Job, status: string) {
      if (job.body.callback_url)
        await post(job.body.callback_url, numeric({ task_id: job.jobId, status, file_id: `#${job.fileId}#`, ...ok }))
    },
    async close() {
      await double.goAway()
    },
  }
  const counts = new Map<Call, number>()

  const post = async (url: string, body: string) => {
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    double.sentCallbacks.push({ body, status: answer.status, answer: await answer.text() })
  }

  const create = (body: CreateBody): string => {
    const now = Date.now()
    if (times.filter((at) => at > now - windowMs).length >= perWindow) return refused(1002)
    const code = bodyFault(body)
    if (code) return refused(code)
    times.push(now)
    const jobId = String(200_000_000_000_000_000n + BigInt(jobs.size))
    const fileId = String(FIRST_FILE_ID + 2n * BigInt(jobs.size))
    jobs.set(jobId, { jobId, fileId, body, finishAt: now + double.renderMs })
    if (body.callback_url) void post(body.callback_url, JSON.stringify({ challenge: randomUUID() })).catch(() => {})
    return JSON.stringify({ task_id: jobId, ...ok })
  }

  const query = (jobId: string): string => {
    const job = jobs.get(jobId)
    if (!job) return refused(2013)
    const status = job.status ?? (Date.now() >= job.finishAt ? 'Success' : 'Processing')
    const file = status === 'Success' ? { file_id: `#${job.fileId}#`, video_width: 1366, video_height: 768 } : {}
    return numeric({ task_id: jobId, status, ...file, ...ok })
  }

  const retrieve = (fileId: string): string => {
    if (![...jobs.values()].some((job) => job.fileId === fileId)) return refused(2013)
    const download_url = `${double.url}/files/${fileId}?expires=${Date.now() + double.linkMs}`
    return numeric({
      file: { file_id: `#${fileId}#`, bytes: double.video.length, filename: 'output.mp4', download_url },
      ...ok,
    })
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', double.url)
    const call = callOf(request.method, url.pathname)
    if (!call) return void response.writeHead(404).end()
    const text = await textOf(request)
    const count = (counts.get(call) ?? 0) + 1
    counts.set(call, count)
    double.calls.push({ call, range: request.headers.range })
    const body = call === 'create' ? (JSON.parse(text) as CreateBody) : undefined
    if (body) double.reached.push(body)
    const fault = double.fault(call, count)
    if (fault === 'hang') return
    if (fault === 'reset') return void request.socket.destroy()
    if (typeof fault === 'object' && 'lateMs' in fault) await delay(fault.lateMs)
    if (typeof fault === 'object' && 'code' in fault) return void response.end(refused(fault.code))
    if (typeof fault === 'object' && 'status' in fault)
      return void response.writeHead(fault.status).end(fault.text ?? '<html>')
    if (call === 'file') return sendFile(double.video, url, request, response, fault)
    const known = request.headers.authorization === `Bearer ${DOUBLE_KEY}`
    const answer = !known
      ? refused(1004)
      : body
        ? create(body)
        : call === 'query'
          ? query(url.searchParams.get('task_id') ?? '')
          : retrieve(url.searchParams.get('file_id') ?? '')
    if (fault === 'done, then hang') return
    if (fault === 'done, then reset') return void request.socket.destroy()
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  }

  let server = createServer()
  const listen = async (port: number) => {
    server = createServer((request, response) => void serve(request, response).catch(() => request.socket.destroy()))
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(port, host, resolve))
  }
  await listen(0)
  double.url = `http://${host}:${(server.address() as AddressInfo).port}`
  return double
}

const ok = { base_resp: { status_code: 0, status_msg: 'success' } }
const refused = (status_code: number) => JSON.stringify({ base_resp: { status_code, status_msg: 'no' } })
/** Serialises JSON. Strings such as `"#123#"` become number literals with all their digits. */
const numeric = (value: object) => JSON.stringify(value).replace(/"#(\d+)#"/g, '$1')

function callOf(method: string | undefined, path: string): Call | undefined {
  if (method === 'POST') return path === '/v1/video_generation' ? 'create' : undefined
  if (path === '/v1/query/video_generation') return 'query'
  if (path === '/v1/files/retrieve') return 'retrieve'
  return path.startsWith('/files/') ? 'file' : undefined
}

function sendFile(
  video: Buffer,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
) {
  if (Date.now() > Number(url.searchParams.get('expires'))) return void response.writeHead(403).end()
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  const part = video.subarray(start)
  const range = `bytes ${start}-${video.length - 1}/${video.length}`
  response.writeHead(start > 0 ? 206 : 200, {
    'content-length': part.length,
    ...(start > 0 ? { 'content-range': range } : {}),
  })
  if (typeof fault !== 'object' || !('cutAt' in fault)) return void response.end(part)
  response.write(part.subarray(0, fault.cutAt))
  void fault.taken().finally(() => request.socket.destroy())
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
