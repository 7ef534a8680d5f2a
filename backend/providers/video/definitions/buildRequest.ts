import { trimEnd } from '#backend/kernel/trimEnd.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import { requiredPrompt } from '../requiredPrompt.ts'
import type { Call, Definition } from './definition.ts'
import type { Job } from './interpretAnswer.ts'
import { decodeJob } from './jobRecord.ts'
import { fill, type Json, type Values } from './template.ts'

export interface HttpRequest {
  readonly method: Call['method']
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** A provider's answer led to an address that must not receive its key. */
export class ForeignAddress extends Error {
  override name = 'ForeignAddress'
}

/** A call refers to a value that the job does not have. */
export class MissingValue extends Error {
  override name = 'MissingValue'
}

/**
 * Builds a request with the provider's key.
 * @throws ForeignAddress if the address is neither of `baseUrl` nor of `origins`
 * @throws MissingValue
 */
export function buildRequest(definition: Definition, call: Call, values: Values, key: string): HttpRequest {
  const url = urlOf(definition, call, values)
  for (const [name, part] of Object.entries(call.query)) {
    const value = fill(part, values)
    if (value !== undefined) url.searchParams.append(name, String(value))
  }
  const body = call.body === undefined ? undefined : fill(call.body, values)
  const headers = Object.entries(call.headers).map(([name, part]) => [name, fill(part, values)] as const)
  return {
    method: call.method,
    url,
    headers: {
      ...definition.headers,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))),
      [definition.key.header]: `${definition.key.prefix}${key}`,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}

function urlOf({ name, baseUrl, origins }: Definition, { url: template }: Call, values: Values): URL {
  const filled = fill(template, encodeValues(values))
  if (typeof filled !== 'string') throw new MissingValue(`${name}: the address of the call lacks a value`)
  const url = URL.parse(filled.startsWith('/') ? `${trimEnd(baseUrl, '/')}${filled}` : filled)
  const allowed = [baseUrl, ...origins].map((address) => new URL(address).origin)
  if (!url || !allowed.includes(url.origin))
    throw new ForeignAddress(`${name}: ${url?.host ?? 'a text'} is not its address`)
  return url
}

/** Encodes texts for a path. Slashes stay, because names of models contain them, and so do whole addresses. */
const encodeValues = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encode(value)]))
const encode = (value: Json | undefined) =>
  typeof value === 'string' && !URL.canParse(value) ? value.split('/').map(encodeURIComponent).join('/') : value

export const jobValues = ({ id, kept }: Job): Values => ({ jobId: id, ...kept })

/** The parts of a render request that are files, as text that can be sent. */
export interface SentFrames {
  readonly firstFrame: string | undefined
  readonly lastFrame: string | undefined
  readonly references: readonly string[]
}

/** Returns the values that templates of `create` and `regenerate` can use. */
export function requestValues(request: RenderRequest, frames: SentFrames, callbackUrl: string | undefined): Values {
  const { taskId, taskType, providerModel, prompt, promptOptimizer, resolution, duration } = request
  const { aspectRatio, seed, negativePrompt, sound, cameraMovements } = request
  return {
    ...{ taskId, taskType, providerModel, prompt: requiredPrompt(prompt), promptOptimizer, resolution, duration },
    ...{ aspectRatio, seed, negativePrompt, sound, callbackUrl, ...frames },
    references: frames.references.length > 0 ? frames.references : undefined,
    modelApp: modelApp(providerModel),
    movements: cameraMovements.length > 0 ? cameraMovements.join(',') : undefined,
    sourceJobId: request.sourceJob === undefined ? undefined : decodeJob(request.sourceJob).id,
  }
}

/** Returns the first two parts of a model's name: `fal-ai/kling-video` for `fal-ai/kling-video/v2/master`. */
export const modelApp = (providerModel: string): string => providerModel.split('/').slice(0, 2).join('/')

/** Returns the call that creates a job, with the model's own address and body if it has them. */
export function createCall({ create, models }: Definition, providerModel: string): Call {
  const own = models.find(({ id, model = id }) => model === providerModel)
  return { ...create, url: own?.url ?? create.url, body: own?.body ?? create.body }
}
