import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'

export interface HttpCall {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly connectMs: number
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly body: string
}

/** Nobody answered at the address: of the request nothing was sent. */
export class NotSent extends Error {
  override name = 'NotSent'
}

const LONGEST_ANSWER = 1 << 20

/**
 * One call on a connection of its own, so that what was sent is known: a kept connection may be gone before the request
 * arrives. @throws NotSent  @throws Error the request may have arrived
 */
export function httpCall(
  url: URL,
  { method, headers, body, connectMs, timeoutMs, signal }: HttpCall,
): Promise<HttpAnswer> {
  const secure = url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    let connected = false
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const options = { method, headers: { ...headers, ...length }, agent: false, signal } as const
    const request = (secure ? secureRequest : plainRequest)(url, options, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > LONGEST_ANSWER) request.destroy(new Error('The answer is too long.'))
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      )
    })
    const give = (ms: number, what: string) =>
      setTimeout(() => request.destroy(new Error(`${what} took too long.`)), ms)
    const connecting = give(connectMs, 'Connecting')
    const answering = give(timeoutMs, 'The answer')
    request.on('socket', (socket) =>
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        connected = true
        clearTimeout(connecting)
      }),
    )
    request.on('error', (error) => reject(connected ? error : new NotSent(error.message, { cause: error })))
    request.on('close', () => {
      clearTimeout(connecting)
      clearTimeout(answering)
    })
    request.end(body)
  })
}
