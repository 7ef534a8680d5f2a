import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Guard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { PROMPT_MAX } from '#backend/tasks/contract.ts'
import type { CreateAnswer, RenderRequest, RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { downloadVideo } from '../downloadVideo.ts'
import {
  alertOperator,
  answerToError,
  type Protection,
  postponeUnsent,
  recordAccepted,
  waitForBreaker,
} from '../protection/protectedCalls.ts'
import type { RateLimiter } from '../protection/slidingWindowLimiter.ts'
import { type MinimaxApi, MinimaxError } from './minimaxApi.ts'

export interface MinimaxDeps extends Protection {
  readonly api: MinimaxApi
  readonly baseUrl: string
  readonly creates: RateLimiter
  readonly queries: RateLimiter
  /** Returns the callback URL of a task, or undefined if MiniMax cannot reach this server. */
  readonly callbackUrl: (taskId: string) => string | undefined
  readonly pollIntervalMs: number
  readonly createsPerMinute: number
  readonly guard: Guard
  readonly stallTimeoutMs: number
}

/** An id that no job has. The circuit breaker's probe queries it. */
const NO_JOB = '0'

async function query(deps: MinimaxDeps, jobId: string, signal: AbortSignal) {
  const { api, queries } = deps
  for (let wait = await queries.acquire(); wait > 0; wait = await queries.acquire())
    await delay(wait, undefined, { signal })
  try {
    return await api.query(jobId, signal)
  } catch (error) {
    await alertOperator(error, deps)
    throw error
  }
}

/** Creates the adapter for MiniMax's Hailuo models. The API has no idempotency keys and cannot list or cancel jobs. */
export function createMinimaxProvider(deps: MinimaxDeps): VideoProvider {
  const { api, guard, baseUrl, creates, breaker, log, callbackUrl, pollIntervalMs, createsPerMinute, stallTimeoutMs } =
    deps
  const closed = new AbortController()

  return {
    name: 'minimax',
    idempotent: false,
    cancels: false,
    pollIntervalMs,
    createsPerMinute,

    async acquire() {
      const wait = await waitForBreaker(breaker, () => answers(api, closed.signal))
      return wait > 0 ? wait : creates.acquire()
    },

    async create(request): Promise<CreateAnswer> {
      const body = await createBody(request, callbackUrl(request.taskId)).catch((error: Error) => error)
      if (body instanceof Error) return postponeUnsent(body, deps)
      let jobId: string
      try {
        jobId = await api.create(body)
      } catch (error) {
        return answerToError(error, deps, request.taskId)
      }
      await recordAccepted(deps)
      return { kind: 'accepted', jobId }
    },

    async state(jobId, signal): Promise<RenderState> {
      try {
        return stateOf((await query(deps, jobId, AbortSignal.any([signal, closed.signal]))).status)
      } catch (error) {
        // An answer without a code says nothing about the job, which is paid for.
        if (!(error instanceof MinimaxError) || error.code === undefined) throw error
        if (error.kind === 'content') return { kind: 'failed', code: 'content_refused', detail: error.message }
        if (error.kind !== 'invalid_request') throw error
        log.error({ err: error, jobId }, 'minimax rejected a malformed query')
        return { kind: 'failed', code: 'provider_failed', detail: error.message }
      }
    },

    async fetch(jobId, file, signal) {
      const either = AbortSignal.any([signal, closed.signal])
      const { file_id } = await query(deps, jobId, either)
      if (!file_id) throw new Error('The finished job has no file_id.')
      const link = async () => {
        const { download_url: url, bytes } = await api.retrieve(file_id, either)
        return { url, bytes }
      }
      await downloadVideo(link, file, { guard, engine: baseUrl, signal: either, stallTimeoutMs })
    },

    cancel: async () => 'unsupported',
    discard: async () => {},

    async check(signal) {
      try {
        await api.query(NO_JOB, AbortSignal.any([signal, closed.signal]))
      } catch (error) {
        if (!isAnswer(error)) return { ok: false, detail: (error as Error).message }
      }
      return { ok: true, detail: 'MiniMax answers and accepts the key.' }
    },

    close: async () => closed.abort(),
  }
}

/** Models of one shape, which reject a duration and a resolution. */
const FIXED_MODELS = ['T2V-01-Director', 'I2V-01-Director', 'I2V-01-live']

/** Builds the body of `POST /v1/video_generation`. */
async function createBody(
  { providerModel: model, duration, resolution, promptOptimizer, firstFrame, ...request }: RenderRequest,
  callbackUrl: string | undefined,
): Promise<Record<string, unknown>> {
  return {
    model,
    prompt: promptWithMovements(request),
    prompt_optimizer: promptOptimizer,
    ...(FIXED_MODELS.includes(model) ? {} : { duration, resolution }),
    ...(firstFrame ? { first_frame_image: `data:image/jpeg;base64,${await readFile(firstFrame, 'base64')}` } : {}),
    ...(callbackUrl ? { callback_url: callbackUrl } : {}),
  }
}

/** Prefixes the prompt with the camera movements, as in `[左移,上升] A cat`, and truncates it to the maximum length. */
function promptWithMovements({ prompt, cameraMovements }: Pick<RenderRequest, 'prompt' | 'cameraMovements'>): string {
  const prefix = cameraMovements.length > 0 ? `[${cameraMovements.join(',')}] ` : ''
  const whole = `${prefix}${prompt}`
  // Truncation must not split a surrogate pair.
  return whole.length <= PROMPT_MAX ? whole : whole.slice(0, PROMPT_MAX).replace(/[\uD800-\uDBFF]$/, '')
}

/** Maps a status. Callbacks use lower case and `failed` instead of `Fail`. @throws Error if the status is unknown */
function stateOf(status: string): RenderState {
  switch (status.toLowerCase()) {
    case 'preparing':
    case 'queueing':
      return { kind: 'queued' }
    case 'processing':
      return { kind: 'rendering', percent: undefined }
    case 'success':
      return { kind: 'finished' }
    case 'fail':
    case 'failed':
      return { kind: 'failed', code: 'provider_failed', detail: 'MiniMax could not make it.' }
    default:
      throw new Error(`MiniMax returned the unknown status ${status.slice(0, 50)}`)
  }
}

/** Returns whether the API responds and accepts the key. */
async function answers(api: MinimaxApi, signal: AbortSignal): Promise<boolean> {
  try {
    await api.query(NO_JOB, signal)
    return true
  } catch (error) {
    return isAnswer(error)
  }
}

/** Returns whether MiniMax understood the call and accepted the key. */
const isAnswer = (error: unknown) =>
  error instanceof MinimaxError && error.kind !== 'unknown' && error.kind !== 'credentials'
