import { publicLookup } from '#backend/kernel/http/outgoing/publicLookup.ts'
import { httpCall } from '../httpCall.ts'
import { parseLosslessJson } from '../losslessJson.ts'
import { checkPublic } from '../openLink.ts'
import { buildRequest } from './buildRequest.ts'
import type { Call, Definition } from './definition.ts'
import type { Answer } from './shapes.ts'
import type { Json, Values } from './template.ts'

export interface ClientAccess {
  readonly definition: () => Definition
  readonly key: string
  readonly connectTimeoutMs: number
  readonly createTimeoutMs: number
  readonly queryTimeoutMs: number
}

export type DefinitionClient = ReturnType<typeof createDefinitionClient>

/** Creates the HTTP client of a definition. After an error other than NotSent, the provider may have the request. */
export function createDefinitionClient({ definition, key, ...times }: ClientAccess) {
  const { connectTimeoutMs, createTimeoutMs, queryTimeoutMs } = times

  const send = async (request: ReturnType<typeof buildRequest>, timeoutMs: number, signal: AbortSignal) =>
    answerOf(await httpCall(request.url, { ...request, connectTimeoutMs, timeoutMs, signal }))

  return {
    /** Sends a call that has no effect, or one that may be repeated. */
    query: (call: Call, values: Values, signal: AbortSignal): Promise<Answer> =>
      send(buildRequest(definition(), call, values, key), queryTimeoutMs, signal),
    /** Sends a request that must not be repeated. */
    create: (request: ReturnType<typeof buildRequest>, timeoutMs: number): Promise<Answer> =>
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
      return answerOf(
        await httpCall(request.url, {
          ...request,
          headers,
          body,
          connectTimeoutMs,
          timeoutMs: createTimeoutMs,
          signal,
        }),
      )
    },
    /** Puts a file at an address from an answer, without the key. @throws UnsafeLink */
    async put(address: string, file: Buffer, signal: AbortSignal): Promise<Answer> {
      const url = new URL(address)
      const isOwn = url.origin === new URL(definition().baseUrl).origin
      if (!isOwn) checkPublic(url)
      const headers = { 'Content-Type': FRAME_TYPE }
      const options = { headers, connectTimeoutMs, timeoutMs: createTimeoutMs, signal }
      const lookup = isOwn ? undefined : publicLookup()
      return answerOf(await httpCall(url, { method: 'PUT', body: new Uint8Array(file), ...options, lookup }))
    },
  }
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
