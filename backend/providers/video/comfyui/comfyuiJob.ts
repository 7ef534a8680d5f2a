import * as z from 'zod/mini'
import type { RenderProgress, RenderState } from '#backend/tasks/videoProvider.port.ts'

const File = z.object({ filename: z.string(), subfolder: z._default(z.string(), ''), type: z.string() })
export type File = z.output<typeof File>

const text = z.catch(z.optional(z.string()), undefined)
/** Which node failed, and why. */
const ExecutionError = z.object({ node_id: text, node_type: text, exception_message: text })

const Outputs = z.record(z.string(), z.record(z.string(), z.unknown()))

/** Answer of `GET /api/jobs/{id}`. */
export const Job = z.object({
  status: z.string(),
  execution_start_time: z.optional(z.nullable(z.number())),
  execution_end_time: z.optional(z.nullable(z.number())),
  execution_error: z.optional(z.nullable(ExecutionError)),
  outputs: z.optional(z.nullable(Outputs)),
})
export type Job = z.output<typeof Job>

const Message = z.tuple([z.string(), z.looseObject({})])

/** Entry of `GET /history/{id}` of older servers. */
export const HistoryEntry = z.object({
  outputs: z._default(Outputs, {}),
  status: z.optional(
    z.nullable(z.object({ status_str: z.optional(z.string()), messages: z._default(z.array(Message), []) })),
  ),
})

/** Converts an entry of an older server's history to a job. */
export function jobOfHistory({ outputs, status }: z.output<typeof HistoryEntry>): Job {
  const events = new Map(status?.messages)
  const at = (name: string) => Number(events.get(name)?.timestamp) || undefined
  const isFailed = status?.status_str === 'error'
  return {
    status: events.has('execution_interrupted') ? 'cancelled' : isFailed ? 'failed' : 'completed',
    outputs,
    execution_start_time: at('execution_start'),
    execution_end_time: at('execution_success') ?? at('execution_error'),
    execution_error: isFailed ? z.parse(ExecutionError, events.get('execution_error') ?? {}) : null,
  }
}

const VIDEO_NAME = /\.(mp4|mov|webm|mkv)$/i

/**
 * Returns the video that a job saved. Nodes report it as images, gifs or video.
 * @param node the only node to look at; undefined: all
 */
export const videoOf = (job: Job, node?: string): File | undefined =>
  savedFiles(job, node).find(({ filename }) => VIDEO_NAME.test(filename))

const FRAME_NAME = /\.(png|jpe?g|webp)$/i

/**
 * Returns the frames of a job that saved an image sequence instead of a video: at least two pictures of one format, in the order in
 * which the node reports them; none otherwise.
 */
export function framesOf(job: Job, node?: string): readonly File[] {
  const files = savedFiles(job, node)
  const formats = new Set(files.map(({ filename }) => FRAME_NAME.exec(filename)?.[1]?.toLowerCase()))
  return files.length > 1 && formats.size === 1 && !formats.has(undefined) ? files : []
}

function savedFiles({ outputs }: Job, node?: string): readonly File[] {
  return Object.entries(outputs ?? {})
    .filter(([id]) => node === undefined || id === node)
    .flatMap(([, lists]) => ['images', 'gifs', 'video', 'videos'].flatMap((name) => lists[name] ?? []))
    .map((value) => z.safeParse(File, value))
    .flatMap(({ data }) => (data ? [data] : []))
    .filter(({ type }) => type === 'output')
}

/** Returns how long the GPU worked on a job, in seconds. */
function gpuSecondsOf({ execution_start_time: start, execution_end_time: end }: Job): number | undefined {
  return start && end && end >= start ? (end - start) / 1000 : undefined
}

interface Pricing {
  readonly output?: string | undefined
  readonly centsPerGpuSecond?: number | undefined
}

/** Converts a job to a state. @throws Error if the status is unknown */
export function stateOf(job: Job, graph: Pricing | undefined, progress: RenderProgress): RenderState {
  switch (job.status) {
    case 'pending':
      return { kind: 'queued' }
    case 'in_progress':
      return { kind: 'rendering', ...progress }
    case 'completed':
      return videoOf(job, graph?.output) || framesOf(job, graph?.output).length > 0
        ? finished(job, graph)
        : failed(withoutVideo(job, graph?.output))
    case 'failed':
      return failed(executionFault(job.execution_error ?? {}))
    case 'cancelled':
      return failed('The job was cancelled in ComfyUI.')
    default:
      throw new Error(`ComfyUI returned the unknown status ${job.status.slice(0, 50)}`)
  }
}

/** Says what a job saved instead of a video. */
function withoutVideo(job: Job, node: string | undefined): string {
  const names = savedFiles(job, node).map(({ filename }) => filename)
  const [first] = names
  if (first === undefined) return 'The graph saved no file.'
  return `The graph saved ${names.length > 1 ? `${names.length} files, such as ${first}` : first}, and neither a video (mp4, mov, webm or mkv) nor a sequence of pictures.`
}

function executionFault({ node_id, node_type, exception_message }: z.output<typeof ExecutionError>): string {
  const sentence = exception_message?.trim() || 'ComfyUI reports an error without a message.'
  return node_id ? `Node ${node_id}${node_type ? ` (${node_type})` : ''}: ${sentence}` : sentence
}

const failed = (detail: string): RenderState => ({ kind: 'failed', code: 'provider_failed', detail })

function finished(job: Job, graph: Pricing | undefined): RenderState {
  const seconds = gpuSecondsOf(job)
  const price = graph?.centsPerGpuSecond
  return seconds === undefined || price === undefined
    ? { kind: 'finished' }
    : { kind: 'finished', costCents: seconds * price }
}
