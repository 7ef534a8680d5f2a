import * as z from 'zod/mini'
import type { RenderProgress, RenderState } from '#backend/tasks/videoProvider.port.ts'

const File = z.object({ filename: z.string(), subfolder: z._default(z.string(), ''), type: z.string() })
type File = z.output<typeof File>

const Outputs = z.record(z.string(), z.record(z.string(), z.unknown()))

/** Answer of `GET /api/jobs/{id}`. */
export const Job = z.object({
  status: z.string(),
  execution_start_time: z.optional(z.nullable(z.number())),
  execution_end_time: z.optional(z.nullable(z.number())),
  execution_error: z.optional(z.nullable(z.object({ exception_message: z.optional(z.string()) }))),
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
  const message = events.get('execution_error')?.exception_message
  return {
    status: events.has('execution_interrupted') ? 'cancelled' : isFailed ? 'failed' : 'completed',
    outputs,
    execution_start_time: at('execution_start'),
    execution_end_time: at('execution_success') ?? at('execution_error'),
    execution_error: isFailed ? { exception_message: String(message ?? '') } : null,
  }
}

const VIDEO_NAME = /\.(mp4|mov|webm)$/i

/**
 * Returns the video that a job saved. Nodes report it as images, gifs or video.
 * @param node the only node to look at; undefined: all
 */
export function videoOf({ outputs }: Job, node?: string): File | undefined {
  return Object.entries(outputs ?? {})
    .filter(([id]) => node === undefined || id === node)
    .flatMap(([, lists]) => ['images', 'gifs', 'video', 'videos'].flatMap((name) => lists[name] ?? []))
    .map((value) => z.safeParse(File, value))
    .flatMap(({ data }) => (data ? [data] : []))
    .find(({ type, filename }) => type === 'output' && VIDEO_NAME.test(filename))
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
      return videoOf(job, graph?.output) ? finished(job, graph) : failed('The graph saved no video.')
    case 'failed':
      return failed(job.execution_error?.exception_message || 'ComfyUI reports an error without a message.')
    case 'cancelled':
      return failed('The job was cancelled in ComfyUI.')
    default:
      throw new Error(`ComfyUI returned the unknown status ${job.status.slice(0, 50)}`)
  }
}

const failed = (detail: string): RenderState => ({ kind: 'failed', code: 'provider_failed', detail })

function finished(job: Job, graph: Pricing | undefined): RenderState {
  const seconds = gpuSecondsOf(job)
  const price = graph?.centsPerGpuSecond
  return seconds === undefined || price === undefined
    ? { kind: 'finished' }
    : { kind: 'finished', costCents: seconds * price }
}
