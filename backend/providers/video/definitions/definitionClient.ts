import type { Guard } from '#backend/kernel/http/outgoing/guardedRequest.ts'
import { httpCall } from '../httpCall.ts'
import { parseLosslessJson } from '../losslessJson.ts'
import { buildRequest, type HttpRequest } from './buildRequest.ts'
import type { Call, Definition } from './definition.ts'
import type { Answer } from './shapes.ts'
import type { Json, Values } from './template.ts'

export interface ClientAccess {
  readonly definition: () => Definition
  readonly key: string
  /** Returns the guard of all addresses of the definition and of its provider's answers. */
  readonly guard: () => Guard
  readonly connectTimeoutMs: number
  readonly createTimeoutMs: number
  readonly queryTimeoutMs: number
}

export type DefinitionClient = ReturnType<typeof createDefinitionClient>

/** Creates the HTTP client of a definition. After an error other than NotSent, the provider may have the request. */
export function createDefinitionClient({ definition, key, guard, ...times }: ClientAccess) {
  const { connectTimeoutMs, createTimeoutMs, queryTimeoutMs } = times

  const send = async (request: Sent, timeoutMs: number, signal: AbortSignal) =>
    answerOf(await httpCall(request.url, { ...request, connectTimeoutMs, timeoutMs, signal, guard: guard() }))

  return {
    /** Sends a call that has no effect, or one that may be repeated. */
    query: (call: Call, values: Values, signal: AbortSignal): Promise<Answer> =>
      send(buildRequest(definition(), call, values, key), queryTimeoutMs, signal),
    /** Sends a request that must not be repeated. */
    create: (request: HttpRequest, timeoutMs: number): Promise<Answer> =>
      send(request, timeoutMs, new AbortController().signal),
    /** Builds the request of a call. @throws ForeignAddress, MissingValue */
    build: (call: Call, values: Values) => buildRequest(definition(), call, values, key),
    /** Posts a file as a form. */
    async postForm(call: Call, field: string, file: Buffer, signal: AbortSignal): Promise<Answer> {
      const form = new FormData()
      form.set(field, new Blob([new Uint8Array(file)], { type: FRAME_TYPE }), FRAME_NAME)
      const encoded = new Response(form)
      const request = buildRequest(definition(), call, {}, key)
      const headers = { ...request.headers, 'Content-Type': encoded.headers.get('content-type')! }
      const body = new Uint8Array(await encoded.arrayBuffer())
      return send({ ...request, headers, body }, createTimeoutMs, signal)
    },
    /** Puts a file at an address from an answer, without the key. */
    async put(address: string, file: Buffer, signal: AbortSignal): Promise<Answer> {
      const headers = { 'Content-Type': FRAME_TYPE }
      const request = { method: 'PUT', url: new URL(address), headers, body: new Uint8Array(file) } as const
      return send(request, createTimeoutMs, signal)
    },
    /** Reads a public key set, without the key. @throws RefusedAddress */
    async readKeySet(address: string, timeoutMs: number): Promise<Json> {
      return parseBody((await guard().send(address, { timeoutMs })).body)
    },
  }
}

interface Sent extends Omit<HttpRequest, 'body'> {
  readonly body: string | Uint8Array | undefined
}

export const FRAME_TYPE = 'image/jpeg'
export const FRAME_NAME = 'frame.jpg'

function answerOf({ status, headers, body }: Awaited<ReturnType<typeof httpCall>>): Answer {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  return { status, headers: Object.fromEntries(texts), body: parseBody(body) }
}

/** Returns the text itself if it is not JSON, and null if it is empty. */
function parseBody(text: string): Json {
  try {
    return text === '' ? null : (parseLosslessJson(text) as Json)
  } catch {
    return text
  }
}
