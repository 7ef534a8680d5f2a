import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import { uuid7 } from '../eventsourcing/uuid7.ts'
import { problemOf } from './problemDetails.ts'

const TOO_LARGE = new Rejection('headers_too_large', 'The address and the headers of the request exceed 16 kB.')
const TOO_SLOW = new Rejection('request_timeout', 'The request did not arrive in time.')
const NO_TUNNEL = new Rejection('method_not_allowed', 'This server opens no tunnels.')
const MALFORMED = new Rejection('malformed_request', 'This is not an HTTP request.')

/** By the code of Node's error. */
const REJECTIONS = new Map([
  ['HPE_HEADER_OVERFLOW', TOO_LARGE],
  ['ERR_HTTP_REQUEST_TIMEOUT', TOO_SLOW],
])

/**
 * Answers requests of which the middleware never learns with problem details: those that Node's parser refuses, and
 * CONNECT, whose connection Node would end without an answer.
 */
export function answerUnparsed(server: Server): void {
  server.on('connect', (_request, socket: Duplex) => {
    // Node has taken its own listener away, and an error without one would end the process.
    socket.on('error', () => socket.destroy())
    answer(socket, NO_TUNNEL)
  })
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Duplex) => {
    const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse }
    // A response that has begun would seem to continue.
    if (!socket.writable || response?.headersSent) socket.destroy()
    else answer(socket, REJECTIONS.get(code) ?? MALFORMED)
  })
}

function answer(socket: Duplex, rejection: Rejection): void {
  const requestId = uuid7()
  const problem = problemOf(rejection, requestId)
  const body = JSON.stringify(problem)
  const headers = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
