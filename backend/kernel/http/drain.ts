import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { Realtime } from './realtime.ts'

/** Time for requests in flight to finish. Longer downloads are cut off; clients resume them with a range request. */
const TIMEOUT_MS = 8_000
const IDLE_CHECK_MS = 100

/** Servers that no longer listen, with a promise of the end of their last connection. */
const closing = new WeakMap<Server, Promise<unknown>>()

/**
 * Stops accepting connections. Those that are open keep working, and each ends after its next response.
 * @example stopListening(server)
 */
export function stopListening(server: Server): Promise<unknown> {
  const known = closing.get(server)
  if (known) return known
  server.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close')
  })
  // The method of http.Server would also end idle connections, over which a proxy may be sending a request.
  const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve))
  closing.set(server, closed)
  return closed
}

/**
 * Shuts a server down gracefully: stops listening, disconnects WebSockets so that clients reconnect elsewhere, and
 * waits for requests in flight. Every response closes its connection.
 * @example await drain(server, realtime)
 */
export async function drain(
  server: Server,
  realtime: Pick<Realtime, 'close' | 'terminate'>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const closed = stopListening(server)
  server.closeIdleConnections()
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const timeout = setTimeout(() => {
    server.closeAllConnections()
    realtime.terminate()
  }, timeoutMs)
  await Promise.all([realtime.close(), closed])
  clearInterval(idle)
  clearTimeout(timeout)
}
