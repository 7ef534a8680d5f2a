import { setTimeout as delay } from 'node:timers/promises'
import type { Guard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import type { CatalogueModel, ModelFile } from '#backend/tasks/contract.ts'
import type {
  CancelAnswer,
  CreateAnswer,
  RenderRequest,
  RenderState,
  VideoProvider,
} from '#backend/tasks/videoProvider.port.ts'
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
import { ProviderError } from '../providerError.ts'
import { createCall, ForeignAddress, jobValues, MissingValue, requestValues } from './buildRequest.ts'
import type { Call, Definition } from './definition.ts'
import type { DefinitionClient } from './definitionClient.ts'
import {
  interpretCreated,
  interpretError,
  interpretResult,
  interpretState,
  isSuccess,
  resultUrl,
} from './interpretAnswer.ts'
import { decodeJob, encodeJob } from './jobRecord.ts'
import { sendFrames } from './sendFrames.ts'
import type { Answer } from './shapes.ts'
import type { Values } from './template.ts'

export interface DefinedProviderDeps extends Protection {
  /** Returns the definition in force, which may change. Its name does not. */
  readonly definition: () => Definition
  readonly client: DefinitionClient
  readonly key: string
  readonly guard: () => Guard
  readonly creates: () => RateLimiter
  readonly queries: () => RateLimiter
  /** Returns the callback URL of a task, or undefined if the provider cannot reach this server. */
  readonly callbackUrl: (request: RenderRequest) => string | undefined
  readonly catalogueModel: (file: ModelFile) => CatalogueModel
  readonly pollIntervalMs: number | undefined
  /** Time for a create call and the uploads before it, which may take half of it. */
  readonly createTimeoutMs: number
  readonly stallTimeoutMs: number
  /** Calls to cancel while the provider answers that it is cancelling, and the time between two. */
  readonly attempts: number
  readonly intervalMs: number
}

async function query({ client, queries }: DefinedProviderDeps, call: Call, values: Values, signal: AbortSignal) {
  for (let wait = await queries().acquire(); wait > 0; wait = await queries().acquire())
    await delay(wait, undefined, { signal })
  return client.query(call, values, signal)
}

type Look = { readonly state: RenderState; readonly answer?: Answer }

/** Returns the state of a job with the answer that holds its result. */
async function look(deps: DefinedProviderDeps, jobId: string, signal: AbortSignal): Promise<Look> {
  const current = deps.definition()
  const { state: stateCall, result } = current
  const values = jobValues(decodeJob(jobId))
  try {
    const answer = await query(deps, stateCall, values, signal)
    const state = interpretState(current, answer)
    if (state.kind !== 'finished' || !result.call) return { state, answer }
    const resultAnswer = await query(deps, result.call, values, signal)
    return { state: interpretResult(current, resultAnswer), answer: resultAnswer }
  } catch (error) {
    if (error instanceof MissingValue) return { state: { kind: 'unknown' } }
    await alertOperator(error, deps)
    const isAnswer = error instanceof ProviderError && ['content', 'invalid_request'].includes(error.kind)
    if (!isAnswer) throw error
    const code = error.kind === 'content' ? 'content_refused' : 'provider_failed'
    return { state: { kind: 'failed', code, detail: error.message } }
  }
}

/** Returns what is wrong with the connection, or undefined. */
async function connectionFault(
  { client, definition }: DefinedProviderDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const answer = await client.query(definition().check, {}, signal)
    const error = isSuccess(answer) ? undefined : interpretError(definition(), answer)
    return error && error.kind !== 'invalid_request' ? error.message : undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Creates the adapter that interprets a definition. Hosted providers have no idempotency keys. */
export function createDefinedProvider(deps: DefinedProviderDeps): VideoProvider {
  const { definition, client, key, guard, creates, breaker, createTimeoutMs, stallTimeoutMs } = deps
  const closed = new AbortController()
  const either = (signal: AbortSignal) => AbortSignal.any([signal, closed.signal])

  return {
    name: definition().name,
    idempotent: false,
    get cancels() {
      return definition().cancel !== undefined
    },
    get pollIntervalMs() {
      return deps.pollIntervalMs ?? definition().rate.pollSeconds * 1000
    },

    async acquire() {
      const wait = await waitForBreaker(breaker, async () => (await connectionFault(deps, closed.signal)) === undefined)
      return wait > 0 ? wait : creates().acquire()
    },

    async create(request): Promise<CreateAnswer> {
      const deadline = performance.now() + createTimeoutMs
      const prepared = await prepare(deps, request, either(AbortSignal.timeout(createTimeoutMs / 2)))
      if ('kind' in prepared) return prepared
      try {
        const answer = await client.create(prepared, deadline - performance.now())
        const job = interpretCreated(definition(), answer)
        if (!job) throw interpretError(definition(), answer)
        await recordAccepted(deps)
        return { kind: 'accepted', jobId: encodeJob(definition(), job) }
      } catch (error) {
        return answerToError(error, deps, request.taskId)
      }
    },

    state: async (jobId, signal) => (await look(deps, jobId, either(signal))).state,

    async fetch(jobId, file, signal) {
      const link = async () => {
        const { state, answer } = await look(deps, jobId, either(signal))
        const url = state.kind === 'finished' && answer && resultUrl(definition(), answer)
        if (!url) throw new Error(`${definition().name} has no video for the job: ${state.kind}`)
        return { url }
      }
      const { baseUrl, key: header } = definition()
      const headers = { [header.header]: `${header.prefix}${key}` }
      const options = { guard: guard(), engine: baseUrl, headers, signal: either(signal), stallTimeoutMs }
      await downloadVideo(link, file, options)
    },

    async cancel(jobId, signal): Promise<CancelAnswer> {
      const { cancel } = definition()
      if (!cancel) return 'unsupported'
      const { kind } = (await look(deps, jobId, either(signal))).state
      if (kind !== 'queued' && kind !== 'rendering') return 'too_late'
      return cancel.states.includes(kind) ? cancelRunning(deps, cancel, jobId, either(signal)) : 'unsupported'
    },

    discard: async () => {},

    async check(signal) {
      const fault = await connectionFault(deps, either(signal))
      return { ok: fault === undefined, detail: fault ?? `${definition().names.en} answers and accepts the key.` }
    },

    models: async () => modelFiles(definition()).map(deps.catalogueModel),
    close: async () => closed.abort(),
  }
}

/** Cancels a job. Repeats the call while the provider answers that it is cancelling. */
async function cancelRunning(
  deps: DefinedProviderDeps,
  cancel: NonNullable<Definition['cancel']>,
  jobId: string,
  signal: AbortSignal,
): Promise<CancelAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await deps.client.query(cancel, jobValues(decodeJob(jobId)), signal)
    const status = String(answer.status)
    if (isSuccess(answer)) return 'cancelled'
    if (!cancel.again.includes(status)) {
      if (cancel.tooLate.includes(status)) return 'too_late'
      throw interpretError(deps.definition(), answer)
    }
    if (attempt >= deps.attempts) throw interpretError(deps.definition(), answer)
    await delay(deps.intervalMs, undefined, { signal })
  }
}

/** Returns the request that creates a job, or an answer if it certainly cannot be sent. */
async function prepare(deps: DefinedProviderDeps, request: RenderRequest, signal: AbortSignal) {
  const { client, callbackUrl } = deps
  const definition = deps.definition()
  try {
    const { sourceJob, providerModel } = request
    const call = sourceJob === undefined ? createCall(definition, providerModel) : definition.regenerate
    if (!call) throw new MissingValue(`${definition.name} cannot render a video again`)
    // The provider has the frames of a video that it renders again.
    const sent = sourceJob === undefined ? request : { ...request, firstFrame: undefined, lastFrame: undefined }
    const frames = await sendFrames(definition, client, sent, signal)
    return client.build(call, requestValues(request, frames, callbackUrl(request)))
  } catch (error) {
    if (error instanceof ProviderError && error.kind !== 'unknown') return answerToError(error, deps, request.taskId)
    if (error instanceof MissingValue || error instanceof ForeignAddress)
      return { kind: 'refused', code: 'provider_failed', detail: error.message } as const
    return postponeUnsent(error, deps)
  }
}

/** Returns the catalogue entries of a definition, whose only route is the definition itself. */
const modelFiles = ({ name, models }: Definition): readonly ModelFile[] =>
  models.map(({ url, body, priceSource, model, ...entry }) => ({
    ...entry,
    routes: [{ provider: name, model: model ?? entry.id }],
  }))
