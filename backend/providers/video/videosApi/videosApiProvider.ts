import { setTimeout as delay } from 'node:timers/promises'
import { type Guard, RefusedAddress } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import {
  type CancelAnswer,
  type CreateAnswer,
  type RenderState,
  UndeliverableVideo,
  type VideoProvider,
} from '#backend/tasks/videoProvider.port.ts'
import { downloadVideo } from '../downloadVideo.ts'
import {
  alertOperator,
  answerToError,
  type Protection,
  postponeUnsent,
  recordAccepted,
  recordOutcome,
  waitForBreaker,
} from '../protection/protectedCalls.ts'
import { MODELS_UNKNOWN } from '../protection/providerAlerts.ts'
import { ProviderError } from '../providerError.ts'
import type { ClaimedJobs } from './claimedJobs.ts'
import { createForm } from './createForm.ts'
import { modelsOf } from './engineModels.ts'
import { type ModelCard, offeredModels, type Program, programOf } from './engineProfile.ts'
import { findLostJob } from './findLostJob.ts'
import { codeOf, renderStateOf } from './renderState.ts'
import { EngineFault, type VideosApiClient } from './videosApiClient.ts'

export interface VideosApiDeps extends Protection {
  readonly client: VideosApiClient
  readonly claims: ClaimedJobs
  readonly baseUrl: string
  readonly guard: Guard
  /** Names of the models to offer, with `*` for any characters; undefined: all that make videos. */
  readonly models: readonly string[] | undefined
  readonly clock: () => number
  readonly pollIntervalMs: number
  readonly stallTimeoutMs: number
  /** Calls of the list after a lost answer, and of DELETE while the engine cancels, and the time between two. */
  readonly attempts: number
  readonly intervalMs: number
}

/** SGLang's job ids. Its DELETE only forgets the job, which goes on, and its video is lost. */
const SGLANG_JOB = /^[0-9a-f]{8}-[0-9a-f]{4}-/

async function accept(deps: VideosApiDeps, jobId: string): Promise<CreateAnswer> {
  await recordAccepted(deps)
  return { kind: 'accepted', jobId }
}

/** Claims the job of an answer. While the database is away the answer counts: no task can adopt a job then. */
async function claim(deps: VideosApiDeps, jobId: string): Promise<string> {
  let isOwn = true
  await recordOutcome(deps, async () => {
    isOwn = await deps.claims.claim(jobId)
  })
  if (!isOwn) throw new Error('Another task has adopted the job.')
  return jobId
}

async function readJob(deps: VideosApiDeps, jobId: string, signal: AbortSignal) {
  try {
    return await deps.client.read(jobId, signal)
  } catch (error) {
    await alertOperator(error, deps)
    throw error
  }
}

/** Creates the memory of the programs that serve the models. */
function createPrograms(client: VideosApiClient) {
  const programs = new Map<string, Program>()
  const cards = async (signal: AbortSignal) => {
    const served = await client.models(signal)
    for (const card of served) programs.set(card.id, programOf(card))
    return served
  }
  /** Returns the program that serves a model. An engine that does not answer the question gets the common form. */
  const of = async (model: string, signal: AbortSignal): Promise<Program> => {
    if (!programs.has(model)) await cards(signal).catch(() => {})
    return programs.get(model) ?? 'other'
  }

  return { cards, of }
}

/**
 * Creates the adapter for engines and gateways of the `/v1/videos` shape, which has no idempotency keys. See
 * docs/decisions/0023-engine-adapters.md.
 */
export function createVideosApiProvider(deps: VideosApiDeps): VideoProvider {
  const { client, guard, baseUrl, breaker, pollIntervalMs, stallTimeoutMs } = deps
  const closed = new AbortController()
  const programs = createPrograms(client)
  const askAbout = createQuestion(deps)
  const either = (signal: AbortSignal) => AbortSignal.any([signal, closed.signal])

  return {
    name: 'videos-api',
    idempotent: false,
    ignoresOptimizer: true,
    cancels: true,
    ownQueue: true,
    pollIntervalMs,
    acquire: () => waitForBreaker(breaker, () => answers(client, closed.signal)),

    create: async (request) =>
      create(deps, request, await programs.of(request.providerModel, closed.signal), closed.signal),

    async state(jobId, signal): Promise<RenderState> {
      const job = await readJob(deps, jobId, either(signal))
      return job ? renderStateOf(job) : { kind: 'unknown' }
    },

    async fetch(jobId, file, signal) {
      const job = await readJob(deps, jobId, either(signal))
      if (!job) throw new UndeliverableVideo('The engine does not know the job')
      const options = { guard, engine: baseUrl, headers: client.headers, signal: either(signal), stallTimeoutMs }
      const content = async () => ({ url: client.contentUrl(jobId) })
      if (!job.url) return downloadVideo(content, file, options)
      const link = async () => ({ url: (await readJob(deps, jobId, either(signal)))?.url ?? client.contentUrl(jobId) })
      await downloadVideo(link, file, options).catch((error) => {
        if (!(error instanceof RefusedAddress)) throw error
        return downloadVideo(content, file, options)
      })
    },

    async cancel(jobId, signal): Promise<CancelAnswer> {
      const job = await readJob(deps, jobId, either(signal))
      const kind = job ? renderStateOf(job).kind : 'unknown'
      if (kind !== 'queued' && kind !== 'rendering') return 'too_late'
      return SGLANG_JOB.test(jobId) ? 'unsupported' : removeRunning(deps, jobId, either(signal))
    },

    discard: async () => {},

    async check(signal) {
      try {
        return checkOf(await programs.cards(either(signal)), deps.models)
      } catch (error) {
        return { ok: false, detail: (error as Error).message }
      }
    },

    async models(signal) {
      const { offered, unknown } = offeredModels(await programs.cards(either(signal)), deps.models)
      await askAbout(unknown)
      return modelsOf(offered)
    },

    close: async () => closed.abort(),
  }
}

/** Sends an order, and finds out what became of it if the answer says too little. */
async function create(
  deps: VideosApiDeps,
  request: Parameters<VideoProvider['create']>[0],
  program: Parameters<typeof createForm>[1],
  signal: AbortSignal,
): Promise<CreateAnswer> {
  const { client, claims, clock, attempts, intervalMs } = deps
  let form: FormData
  try {
    form = await createForm(request, program)
  } catch (error) {
    return error instanceof ProviderError ? answerToError(error, deps, request.taskId) : postponeUnsent(error, deps)
  }
  const sentAt = clock()
  try {
    const { id } = await client.create(form)
    return await accept(deps, await claim(deps, id))
  } catch (error) {
    if (error instanceof ProviderError && error.kind !== 'unknown') return answerToError(error, deps, request.taskId)
    const found = await findLostJob(request, { sentAt, attempts, intervalMs, signal, list: client.list, claims })
    if (typeof found === 'object') return accept(deps, found.jobId)
    const answer = answerToError(error, deps, request.taskId)
    if (!(error instanceof EngineFault) || found === 'unclear') return answer
    await answer.catch(() => {})
    return { kind: 'failed', code: codeOf(error.message), detail: error.message }
  }
}

/** Creates the question to the operator which unknown models make videos. It is asked once while the models stay the same. */
function createQuestion(deps: VideosApiDeps) {
  let asked: string | undefined
  return async (unknown: readonly string[]) => {
    const names = unknown.join(', ')
    if (names === asked) return
    await recordOutcome(deps, async () => {
      if (names === '') await deps.alerts.clear(MODELS_UNKNOWN)
      else await deps.alerts.raise(MODELS_UNKNOWN, `Not offered: ${names}. ${ASK}.`)
      asked = names
    })
  }
}

const LOCALAI =
  'LocalAI makes each video within one call, and has no job that could be followed or cancelled. Its models are not offered. Serve them with vLLM-Omni or SGLang.'
const ASK = 'Nothing says that they make videos: name those that do in VIDEOS_API_MODEL'

/** Deletes a running job, which cancels it. Repeats the call while the engine answers that it is cancelling. */
async function removeRunning(deps: VideosApiDeps, jobId: string, signal: AbortSignal): Promise<CancelAnswer> {
  const { client, attempts, intervalMs } = deps
  for (let attempt = 1; ; attempt++) {
    const { status, deleted, error } = await client.remove(jobId, signal)
    if (deleted) return 'cancelled'
    if (status === 409 && attempt < attempts) {
      await delay(intervalMs, undefined, { signal })
      continue
    }
    if (status >= 500 || status === 409 || status === 429) throw error
    if (status === 404 || status < 300) return (await client.read(jobId, signal)) ? 'unsupported' : 'cancelled'
    return 'unsupported'
  }
}

/** Says which models are offered, which are not because nobody knows what they make, and which are missing. */
function checkOf(cards: readonly ModelCard[], wanted: readonly string[] | undefined) {
  if (cards.some((card) => programOf(card) === 'localai')) return { ok: false, detail: LOCALAI }
  const { offered, unknown } = offeredModels(cards, wanted)
  const missing = (wanted ?? []).filter((name) => !name.includes('*') && !cards.some(({ id }) => id === name))
  const served = cards.length > 0 ? cards.map(({ id }) => id).join(', ') : 'no model'
  if (missing.length > 0) return { ok: false, detail: `The engine serves ${served}, but not ${missing.join(', ')}.` }
  const asked = unknown.length > 0 ? ` Not offered: ${unknown.join(', ')}. ${ASK}.` : ''
  return { ok: offered.length > 0, detail: `The engine serves ${served}.${asked}` }
}

async function answers(client: VideosApiClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.models(signal)
    return true
  } catch (error) {
    return error instanceof ProviderError && error.kind === 'invalid_request'
  }
}
