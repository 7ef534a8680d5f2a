import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Guard } from '../../kernel/http/outgoing/guardedRequest.ts'
import { traceHeaders } from '../../kernel/observability/tracing.ts'

interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  readonly connectTimeoutMs: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Maximum size of the response; 1 MiB by default. */
  readonly maxBytes?: number | undefined
  /** Checks an address that the configuration does not name. */
  readonly guard?: Pick<Guard, 'request'> | undefined
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The address was refused, or the connection failed, before any byte of the request was sent. */
export class NotSent extends Error {
  override name = 'NotSent'
}

/** The server did not answer in time. */
export class TimedOut extends Error {
  override name = 'TimedOut'
}

const MAX_RESPONSE_BYTES = 1 << 20

/**
 * Sends one request on a new connection. A kept-alive connection can close while a request is in flight, which leaves
 * it unknown whether the server received the request.
 * @throws NotSent if the address was refused or the connection failed
 * @throws TimedOut, or another Error, if the server may have received the request
 */
export function httpCall(
  url: URL,
  { method, headers, body, connectTimeoutMs, timeoutMs, signal, maxBytes = MAX_RESPONSE_BYTES, guard }: HttpCall,
): Promise<HttpAnswer> {
  const secure = url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    let connected = false
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const options = {
      method,
      headers: { ...headers, ...length, ...traceHeaders() },
      agent: false,
      signal,
    } as const
    const start = guard?.request ?? (secure ? httpsRequest : httpRequest)
    let request: ClientRequest
    try {
      request = start(url, options)
    } catch (error) {
      reject(new NotSent((error as Error).message, { cause: error }))
      return
    }
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > maxBytes) request.destroy(new Error('The response is too long.'))
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    const timeout = (ms: number, phase: string) =>
      setTimeout(() => request.destroy(new TimedOut(`The ${phase} timed out.`)), ms)
    const connecting = timeout(connectTimeoutMs, 'connection')
    const responding = timeout(timeoutMs, 'request')
    request.on('socket', (socket) =>
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        connected = true
        clearTimeout(connecting)
      }),
    )
    request.on('error', (error) => reject(connected ? error : new NotSent(error.message, { cause: error })))
    request.on('close', () => {
      clearTimeout(connecting)
      clearTimeout(responding)
    })
    request.end(body)
  })
}
