import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { OperatorAlerts } from '#backend/operators/operatorAlerts.ts'
import type { CreateAnswer, RenderState, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import type { CallWindow } from '../callWindow.ts'
import type { Circuit } from '../circuit.ts'
import { downloadFile } from './downloadFile.ts'
import { type MinimaxApi, MinimaxRefusal } from './minimaxApi.ts'
import { minimaxBody } from './minimaxBody.ts'
import { NotSent } from './minimaxHttp.ts'

export const UNREACHABLE = 'video_provider_unreachable'
export const KEY_REFUSED = 'video_provider_key_refused'
export const ACCOUNT_EMPTY = 'video_provider_account'

export interface MinimaxParts {
  readonly api: MinimaxApi
  /** Creates and queries, bounded each by itself for all processes. */
  readonly creates: CallWindow
  readonly queries: CallWindow
  readonly circuit: Circuit
  readonly alerts: OperatorAlerts
  readonly log: Pick<Logger, 'error' | 'warn'>
  /** Where the provider may tell of a task; undefined where it cannot reach us. */
  readonly callbackUrl: (taskId: string) => string | undefined
  readonly pollMs: number
  readonly stallMs: number
}

/** A job's id that no job has: asking for it shows whether anyone answers. */
const NO_JOB = '0'

/** Hailuo's videos, made by MiniMax. It knows no idempotency, no list and no cancel. */
export function createMinimaxProvider(parts: MinimaxParts): VideoProvider {
  const { api, creates, queries, circuit, alerts, log, callbackUrl, pollMs, stallMs } = parts
  const stop = new AbortController()

  const query = async (jobId: string, signal: AbortSignal) => {
    for (let wait = await queries.take(); wait > 0; wait = await queries.take())
      await delay(wait, undefined, { signal })
    try {
      return await api.query(jobId, signal)
    } catch (error) {
      if (error instanceof MinimaxRefusal) await tellOperator(parts, error)
      throw error
    }
  }

  return {
    name: 'minimax',
    idempotent: false,
    pollMs,

    async admit() {
      const pass = await circuit.pass()
      if (typeof pass === 'number') return pass
      if (pass === 'trial' && !(await answers(api, stop.signal))) return stillAway(circuit)
      return creates.take()
    },

    async create(request): Promise<CreateAnswer> {
      const body = await minimaxBody(request, callbackUrl(request.taskId))
      let jobId: string
      try {
        jobId = await api.create(body)
      } catch (error) {
        return refusedOr(error, parts, request.taskId)
      }
      await circuit.succeeded()
      for (const code of [UNREACHABLE, KEY_REFUSED, ACCOUNT_EMPTY]) await alerts.clear(code)
      return { kind: 'accepted', jobId }
    },

    async state(jobId, signal): Promise<RenderState> {
      try {
        return stateOf((await query(jobId, AbortSignal.any([signal, stop.signal]))).status)
      } catch (error) {
        if (!(error instanceof MinimaxRefusal)) throw error
        if (error.meaning === 'sensitive') return { kind: 'failed', code: 'content_refused', detail: error.message }
        if (error.meaning !== 'invalid') throw error
        log.error({ err: error, jobId }, 'a question about a job was malformed')
        return { kind: 'failed', code: 'provider_failed', detail: error.message }
      }
    },

    async fetch(jobId, file, signal) {
      const either = AbortSignal.any([signal, stop.signal])
      const { file_id } = await query(jobId, either)
      if (!file_id) throw new Error('The finished job names no file.')
      await downloadFile(() => api.retrieve(file_id, either), file, { signal: either, stallMs })
    },

    forget: async () => {},
    close: async () => stop.abort(),
  }
}

/** By the documents the callback's words are in lower case, and `Fail` is `failed`. @throws an unknown word */
export function stateOf(status: string): RenderState {
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
      throw new Error(`MiniMax named the unknown status ${status.slice(0, 50)}`)
  }
}

/** Whether anyone is there who takes our key. */
async function answers(api: MinimaxApi, signal: AbortSignal): Promise<boolean> {
  try {
    await api.query(NO_JOB, signal)
    return true
  } catch (error) {
    return error instanceof MinimaxRefusal && error.meaning !== 'unclear' && error.meaning !== 'key'
  }
}

async function stillAway(circuit: Circuit): Promise<number> {
  await circuit.failed()
  const pass = await circuit.pass()
  return typeof pass === 'number' ? pass : 1
}

/** What a failed create means. @throws the same error, when it is open whether the job was taken */
async function refusedOr(error: unknown, parts: MinimaxParts, taskId: string): Promise<CreateAnswer> {
  const { circuit, alerts, log } = parts
  if (!(error instanceof MinimaxRefusal) || error.meaning === 'unclear') {
    const { message } = error as Error
    if (await circuit.failed()) await alerts.raise(UNREACHABLE, message)
    if (error instanceof NotSent) return { kind: 'postponed', detail: message }
    throw error
  }
  await tellOperator(parts, error)
  const detail = error.message
  switch (error.meaning) {
    case 'busy':
      await circuit.slowDown()
      return { kind: 'postponed', detail }
    case 'key':
    case 'account':
      return { kind: 'refused', code: 'provider_unavailable', detail }
    case 'sensitive':
      await circuit.succeeded()
      return { kind: 'refused', code: 'content_refused', detail }
    case 'invalid':
      log.error({ err: error, taskId }, 'a request for a video was malformed')
      return { kind: 'refused', code: 'provider_failed', detail }
  }
}

async function tellOperator({ alerts, circuit }: MinimaxParts, { meaning, message }: MinimaxRefusal): Promise<void> {
  if (meaning === 'key') {
    await circuit.trip()
    await alerts.raise(KEY_REFUSED, message)
  }
  if (meaning === 'account') await alerts.raise(ACCOUNT_EMPTY, message)
}
