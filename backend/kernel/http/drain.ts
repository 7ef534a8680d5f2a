import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Realtime } from './realtime.ts'

/** Calls under way may take so long to end; what lasts longer, such as a download, is cut, and its client asks for the rest. */
const PATIENCE_MS = 8_000
const LOOK_MS = 100

/**
 * Takes nothing new, tells the sockets to come back (to whoever else listens), and waits for the calls that are under way.
 * Each answer from now on is the last one on its connection.
 */
export async function drain(
  server: Server,
  realtime: Pick<Realtime, 'close'>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  server.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close')
  })
  const closed = new Promise((resolve) => server.close(resolve))
  realtime.close()
  server.closeIdleConnections()
  const idle = setInterval(() => server.closeIdleConnections(), LOOK_MS)
  const late = setTimeout(() => server.closeAllConnections(), patienceMs)
  await closed
  clearInterval(idle)
  clearTimeout(late)
}
