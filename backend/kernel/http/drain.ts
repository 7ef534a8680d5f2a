import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Realtime } from './realtime.ts'

/** Time for requests in flight to finish. Longer downloads are cut off; clients resume them with a range request. */
const TIMEOUT_MS = 8_000
const IDLE_CHECK_MS = 100

/**
 * Shuts a server down gracefully: stops listening, disconnects WebSockets so that clients reconnect elsewhere, and
 * waits for requests in flight. Every response closes its connection.
 * @example await drain(server, realtime)
 */
export async function drain(server: Server, realtime: Pick<Realtime, 'close'>, timeoutMs = TIMEOUT_MS): Promise<void> {
  server.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close')
  })
  const closed = new Promise((resolve) => server.close(resolve))
  realtime.close()
  server.closeIdleConnections()
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const timeout = setTimeout(() => server.closeAllConnections(), timeoutMs)
  await closed
  clearInterval(idle)
  clearTimeout(timeout)
}
