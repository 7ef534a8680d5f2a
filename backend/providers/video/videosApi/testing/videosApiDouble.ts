import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { makeTinyVideo } from '#backend/testing/tinyVideo.ts'
import { type Answer, formOf, type Received, startEngineServer } from '../../testing/engineServer.ts'

export type Personality = 'vllm-omni' | 'sglang'

export interface DoubleJob {
  readonly id: string
  readonly fields: Readonly<Record<string, FormDataEntryValue>>
  readonly createdAt: number
  readonly finishAt: number
  /** Overrides the status derived from `finishAt`, for example with a gateway's word. */
  status?: string
  error?: { readonly code: number | string; readonly message: string }
  /** Set when the engine stopped rendering. */
  aborted?: true
}

interface Options {
  readonly personality?: Personality
  readonly apiKey?: string
  readonly model?: string
  readonly renderMs?: number
}

type Fields = Readonly<Record<string, unknown>>

/** What vLLM-Omni 0.30.0 answers to an order of MiniMax-H3. */
function h3FaultInVllm({ aspect_ratio, short_edge, image_reference, input_reference }: Fields): string | undefined {
  if (short_edge !== undefined && short_edge !== '768')
    return `MiniMax H3 target.short_edge must be 768, got ${short_edge}`
  if (!aspect_ratio && !image_reference && !input_reference) return 't2va requires an explicit aspect_ratio'
  return undefined
}

/** What SGLang 0.5.23 answers to an order of MiniMax-H3. */
function h3FaultInSglang({ task, target, conditions, negative_prompt }: Fields): string | undefined {
  if (!task) return 'task is required for MiniMax H3; supported tasks: fl2va, ref2va, t2va'
  if (negative_prompt !== undefined)
    return 'negative_prompt is not supported: MiniMax H3 serves only the CFG-distilled single-positive-branch checkpoint'
  if (!target) return 'target is required and must be an object'
  const { short_edge, aspect_ratio, duration_seconds } = JSON.parse(String(target))
  if (!Number.isInteger(short_edge)) return 'target.short_edge must be an integer'
  if (!aspect_ratio) return 'target.aspect_ratio must be a non-empty string'
  if (!(duration_seconds >= 4 && duration_seconds <= 15))
    return `target.duration_seconds must be in [4, 15], got ${duration_seconds}`
  if (task === 't2va' && conditions) return "conditions must be empty for task 't2va'"
  return task === 'fl2va' && !conditions ? "conditions requires at least one entry for task 'fl2va'" : undefined
}

const UNKNOWN: Answer = { status: 404, body: { detail: 'Video not found' } }
const BASE = '/v1/videos'

export type VideosApiDouble = Awaited<ReturnType<typeof startVideosApiDouble>>

/**
 * Starts a local test double of the documented `/v1/videos` shape, as vLLM-Omni or SGLang speak it. It serves a prepared
 * video. It verifies the adapter, not the real engines.
 */
export async function startVideosApiDouble({
  personality = 'vllm-omni',
  apiKey,
  model = 'Wan-AI/Wan2.2-T2V-A14B-Diffusers',
  renderMs = 50,
}: Options = {}) {
  const video = await readFile(await makeTinyVideo())
  const isVllm = personality === 'vllm-omni'
  const jobs = new Map<string, DoubleJob>()
  /** All jobs ever started, including those that the engine has forgotten. */
  const started: DoubleJob[] = []

  const server = await startEngineServer(async (received) => {
    const { call, url, headers } = received
    if (apiKey && headers.authorization !== `Bearer ${apiKey}`) return { status: 401, body: { error: 'Unauthorized' } }
    if (call === 'GET /health') return { body: isVllm ? '' : { status: 'ok' } }
    if (call === 'GET /v1/models') {
      const data = [{ id: double.model, object: 'model', owned_by: isVllm ? 'vllm' : 'sglang' }, ...double.others]
      return { body: { object: 'list', data } }
    }
    if (call === `POST ${BASE}`) return create(received)
    if (call === `GET ${BASE}`) return list(url)
    if (url.pathname === '/bucket/video.mp4') return { body: video }
    const [id = '', part] = url.pathname.slice(BASE.length + 1).split('/')
    const job = jobs.get(decodeURIComponent(id))
    if (!url.pathname.startsWith(`${BASE}/`) || !job) return UNKNOWN
    if (call.startsWith('DELETE')) return remove(job)
    if (part === undefined) return read(job)
    return call.startsWith('GET') && part === 'content' ? content(job) : { status: 404, body: { detail: 'Not Found' } }
  })

  const double = Object.assign(server, {
    video,
    model,
    renderMs,
    jobs,
    started,
    /** Cards of further models that `GET /v1/models` lists. */
    others: [] as readonly object[],
    /** Number of DELETE calls to answer with 409 before a job is aborted. */
    cancelling: 0,
    /** Makes SGLang upload videos to a bucket, whose address is in the object. */
    bucket: undefined as string | undefined,
    /** Restarts the engine, which keeps jobs only in memory. */
    restart: () => jobs.clear(),
  })

  const statusOf = ({ status, finishAt }: DoubleJob) => status ?? (Date.now() >= finishAt ? 'completed' : 'in_progress')

  const objectOf = (job: DoubleJob) => {
    const status = statusOf(job)
    const { prompt, seconds = '4', size = null } = job.fields
    const common = {
      id: job.id,
      object: 'video',
      status,
      model: double.model,
      created_at: job.createdAt,
      completed_at: status === 'completed' ? job.createdAt + 1 : null,
      expires_at: null,
      seconds,
      size,
      error: job.error ?? null,
    }
    // vLLM-Omni jumps from 0 to 100. SGLang reports at most 99 until the end, and no prompt.
    return isVllm
      ? { ...common, prompt, progress: status === 'completed' ? 100 : 0 }
      : { ...common, progress: status === 'completed' ? 100 : 99, ...(double.bucket ? { url: double.bucket } : {}) }
  }

  const create = async (received: Received): Promise<Answer> => {
    const isForm = received.headers['content-type']?.startsWith('multipart/form-data')
    if (isVllm && !isForm)
      return { status: 422, body: { detail: [{ loc: ['body', 'prompt'], msg: 'Field required' }] } }
    const read = async () => (isForm ? Object.fromEntries(await formOf(received)) : JSON.parse(String(received.body)))
    const fields = await read().catch(() => undefined)
    if (!fields) return { status: 400, body: { detail: 'There was an error parsing the body' } }
    const fault = faultOf(fields)
    if (fault) return fault
    const h3 = /h3/i.test(double.model) ? (isVllm ? h3FaultInVllm : h3FaultInSglang)(fields) : undefined
    // vLLM-Omni finds it when the engine begins.
    if (h3 && !isVllm) return { status: 400, body: { detail: h3 } }
    const id = isVllm ? `video_gen_${randomUUID().replaceAll('-', '')}` : randomUUID()
    const failed = h3 ? { status: 'failed', error: { code: 400, message: h3 } } : {}
    const job: DoubleJob = {
      ...{ id, fields, createdAt: Math.floor(Date.now() / 1000), finishAt: Date.now() + double.renderMs },
      ...failed,
    }
    jobs.set(id, job)
    started.push(job)
    return { body: { ...objectOf(job), status: 'queued', progress: 0, completed_at: null, error: null } }
  }

  const faultOf = (fields: Fields): Answer | undefined => {
    const refuse = (status: number, detail: unknown) => ({ status, body: { detail } })
    if (!fields.prompt)
      return isVllm
        ? refuse(422, [{ loc: ['body', 'prompt'], msg: 'Field required' }])
        : refuse(400, 'prompt is required')
    if (fields.seconds !== undefined && !/^[1-9]\d*$/.test(String(fields.seconds)))
      return refuse(422, [{ loc: ['body', 'seconds'], msg: 'String should match pattern' }])
    if (fields.size !== undefined && !/^\d+x\d+$/.test(String(fields.size))) return refuse(422, 'size')
    if (!isVllm) return undefined
    if (fields.model !== undefined && fields.model !== double.model) return refuse(400, 'Model mismatch')
    if (fields.input_reference && fields.image_reference)
      return refuse(400, 'input_reference and image_reference exclude each other')
    return undefined
  }

  /** vLLM-Omni answers a failed job with the status of its error, and the whole object as the body. */
  const read = (job: DoubleJob): Answer => {
    const code = Number(job.error?.code)
    const status = isVllm && statusOf(job) === 'failed' ? (code >= 400 && code < 600 ? code : 500) : 200
    return { status, body: objectOf(job) }
  }

  const list = (url: URL): Answer => {
    const data = [...jobs.values()].map(objectOf).slice(-Number(url.searchParams.get('limit') ?? 100))
    if (url.searchParams.get('order') !== 'asc') data.reverse()
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
    return { body: { object: 'list', data, ...ends, has_more: false } }
  }

  const content = (job: DoubleJob): Answer => {
    const status = statusOf(job)
    if (status === 'failed') return { status: 422, body: { detail: 'Video generation failed' } }
    if (Date.now() < job.finishAt) return { status: 404, body: { detail: 'Generation is still in-progress' } }
    if (!isVllm && double.bucket)
      return { status: 400, body: { detail: `Video has been uploaded to cloud storage: ${double.bucket}` } }
    const headers = { 'content-type': 'video/mp4', 'content-disposition': `attachment; filename="${job.id}.mp4"` }
    return { body: video, headers }
  }

  const remove = (job: DoubleJob): Answer => {
    if (isVllm && double.cancelling-- > 0) return { status: 409, body: { detail: 'Cancellation in progress' } }
    jobs.delete(job.id)
    // SGLang only forgets the job: it goes on rendering.
    if (!isVllm) return { body: { ...objectOf(job), status: 'deleted' } }
    job.aborted = true
    return { body: { id: job.id, deleted: true, object: 'video.deleted' } }
  }

  return double
}
