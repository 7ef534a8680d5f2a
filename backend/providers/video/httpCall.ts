import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { backoff, pause } from '../../kernel/backoff.ts'
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
/** Some networks forget a connection without a word that is unused for minutes. */
const UNUSED_MS = 30_000
/** A TLS handshake takes more CPU time than a call. */
const KEPT = {
  'http:': new HttpAgent({ keepAlive: true, timeout: UNUSED_MS }),
  'https:': new HttpsAgent({ keepAlive: true, timeout: UNUSED_MS }),
}

/** Faults of a server that often pass within a second. */
const PASSING: readonly number[] = [500, 502, 503, 504]
const REPEATS = 2
const REPEAT_MS = 200

/**
 * Sends a request. A GET can be repeated: it is sent up to twice more if the server has a fault, so that one fault does not cost a retry
 * of the whole activity, and only a GET uses a connection that was kept. Such a connection can close while a request is in flight, which
 * leaves it unknown whether the server received the request.
 * @throws NotSent if the address was refused or the connection failed
 * @throws TimedOut, or another Error, if the server may have received the request
 */
export async function httpCall(url: URL, call: HttpCall): Promise<HttpAnswer> {
  if (call.method !== 'GET') return send(url, call, false)
  for (let repeat = 0; ; repeat++) {
    const answer = await get(url, call)
    if (repeat === REPEATS || !PASSING.includes(answer.status)) return answer
    await pause(backoff(repeat, { initial: REPEAT_MS }), call.signal)
    call.signal.throwIfAborted()
  }
}

function get(url: URL, call: HttpCall): Promise<HttpAnswer> {
  if (call.guard) return send(url, call, false)
  return send(url, call, KEPT[url.protocol as keyof typeof KEPT] ?? false).catch((error) => {
    if (!(error instanceof Closed)) throw error
    return send(url, call, false)
  })
}

/** A kept connection closed before an answer. */
class Closed extends Error {}

function send(
  url: URL,
  { method, headers, body, connectTimeoutMs, timeoutMs, signal, maxBytes = MAX_RESPONSE_BYTES, guard }: HttpCall,
  agent: HttpAgent | false,
): Promise<HttpAnswer> {
  const secure = url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    let [connected, answered] = [false, false]
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const options = {
      method,
      headers: { ...headers, ...length, ...traceHeaders() },
      agent,
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
      answered = true
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
    request.on('socket', (socket) => {
      const ready = () => {
        connected = true
        clearTimeout(connecting)
      }
      if (request.reusedSocket) ready()
      else socket.once(secure ? 'secureConnect' : 'connect', ready)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const closed = request.reusedSocket && !answered && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
      if (closed) reject(new Closed(error.message))
      else reject(connected ? error : new NotSent(error.message, { cause: error }))
    })
    request.on('close', () => {
      clearTimeout(connecting)
      clearTimeout(responding)
      // Node closes without a word when a server switches protocols.
      if (!answered) reject(new Error('The server closed the connection without an answer.'))
    })
    request.end(body)
  })
}
