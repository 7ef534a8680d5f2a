import type { RenderState } from '#backend/tasks/videoProvider.port.ts'
import { kindOfHttpStatus, ProviderError, type ProviderErrorKind } from '../providerError.ts'
import type { Definition } from './definition.ts'
import { readNumber, readPath, readText } from './readPath.ts'
import type { Answer } from './shapes.ts'
import type { Json } from './template.ts'

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300

/** Returns what the answer says about its error, or undefined if it names none. Texts of objects are their JSON. */
function errorText({ errors }: Definition, body: Json): string | undefined {
  const found = errors.paths.map((path) => readPath(body, path)).filter((value) => !isBlank(value))
  const texts = found.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
  return texts.length > 0 ? texts.join(' ') : undefined
}

const isBlank = (value: Json | undefined) =>
  value === undefined || value === '' || value === false || (Array.isArray(value) && value.length === 0)

/** Returns the kind of an error by its text, if `match` knows a part of it. */
function kindOfText({ errors }: Definition, text = ''): ProviderErrorKind | undefined {
  const lower = text.toLowerCase()
  return Object.entries(errors.match).find(([part]) => lower.includes(part.toLowerCase()))?.[1]
}

function kindOfStatus({ errors }: Definition, { status, headers }: Answer): ProviderErrorKind {
  const own = errors.statuses[String(status)]
  if (own) return own
  // A server that says when to come back has turned the request down.
  if (status === 503 && headers['retry-after'] !== undefined) return 'rate_limited'
  return kindOfHttpStatus(status)
}

/** Classifies an answer that is not the expected one. */
export function interpretError(definition: Definition, answer: Answer): ProviderError {
  const text = errorText(definition, answer.body)
  const kind = kindOfText(definition, text) ?? kindOfStatus(definition, answer)
  return new ProviderError(kind, `${definition.name} answered HTTP ${answer.status} ${text ?? ''}`.trim())
}

export interface Job {
  readonly id: string
  /** Values of `create.job.keep`. */
  readonly kept: Readonly<Record<string, string>>
}

/** Returns the job that an answer to `create` names, or undefined if it is no acceptance. */
export function interpretCreated({ create: { job } }: Definition, answer: Answer): Job | undefined {
  const id = isSuccess(answer) ? readText(answer.body, job.id) : undefined
  if (id === undefined) return undefined
  const kept = Object.entries(job.keep).map(([name, path]) => [name, readText(answer.body, path)] as const)
  return { id, kept: Object.fromEntries(kept.flatMap(([name, value]) => (value ? [[name, value]] : []))) }
}

type Failed = Extract<RenderState, { kind: 'failed' }>

function failure(definition: Definition, answer: Answer): Failed {
  const { kind, message } = interpretError(definition, answer)
  return { kind: 'failed', code: kind === 'content' ? 'content_refused' : 'provider_failed', detail: message }
}

/**
 * Returns the state that an answer reports. `finished` is preliminary if the definition has a call for the result.
 * @throws ProviderError if the answer says nothing about the job, for example in an outage
 */
export function interpretState(definition: Definition, answer: Answer): RenderState {
  const { state } = definition
  const word = readText(answer.body, state.status)?.toLowerCase()
  if (word === undefined) {
    // A page of a proxy is no answer about the job, which is paid for.
    const isJson = typeof answer.body === 'object' && answer.body !== null
    if (answer.status === 404 && isJson) return { kind: 'unknown' }
    const { kind, message } = interpretError(definition, answer)
    const isForeign = kind === 'invalid_request' && errorText(definition, answer.body) === undefined
    throw new ProviderError(isForeign ? 'unknown' : kind, message)
  }
  const kind = Object.hasOwn(state.words, word) ? state.words[word] : 'rendering'
  if (kind === 'queued') return { kind }
  if (kind === 'rendering') return { kind, percent: progressOf(definition, answer.body) }
  if (kind === 'failed' || errorText(definition, answer.body) !== undefined) return failure(definition, answer)
  return definition.result.call ? { kind: 'finished' } : interpretResult(definition, answer)
}

function progressOf({ state: { progress } }: Definition, body: Json): number | undefined {
  const value = progress && readNumber(body, progress.path)
  if (value === undefined) return undefined
  return Math.min(100, Math.max(0, Math.round(progress!.outOf === '1' ? value * 100 : value)))
}

/**
 * Returns the final state from the answer that holds the result.
 * @throws ProviderError if the answer is neither a result nor an error that the provider names, for example in an outage
 */
export function interpretResult(definition: Definition, answer: Answer): RenderState {
  const text = errorText(definition, answer.body)
  if (!isSuccess(answer)) {
    const error = interpretError(definition, answer)
    // Only 500 is a provider's own word for a failed job; the others are those of a gateway in an outage.
    const isOutage = error.kind === 'unknown' && answer.status !== 500
    if (text === undefined || isOutage || ['credentials', 'account', 'rate_limited'].includes(error.kind)) throw error
    return failure(definition, answer)
  }
  if (text !== undefined) return failure(definition, answer)
  const { result } = definition
  if (!resultUrl(definition, answer))
    return { kind: 'failed', code: result.missing, detail: `${definition.name} has no video for the finished job.` }
  const seconds = result.seconds === undefined ? undefined : readNumber(answer.body, result.seconds)
  const units = result.cost === undefined ? undefined : readNumber(answer.body, result.cost.path)
  return {
    kind: 'finished',
    ...(seconds === undefined ? {} : { seconds }),
    ...(units === undefined ? {} : { costCents: Math.round(units * result.cost!.centsPerUnit * 100) / 100 }),
  }
}

/** Returns the address of the video in a result. */
export const resultUrl = ({ result }: Definition, { body }: Answer): string | undefined =>
  result.url.map((path) => readPath(body, path)).find((value) => typeof value === 'string' && value !== '') as
    | string
    | undefined
