import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly headers: Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>
  readonly body: string
  readonly path: string
  /** Epoch ms. */
  readonly at: number
}

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

/** Starts a receiver of webhooks on this machine, which keeps what it receives. */
export async function startReceiverDouble() {
  const ok: Answer = (response) => response.writeHead(204).end()
  const state = { received: [] as Received[], answer: ok }
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    state.received.push({ headers: request.headers as never, body, path: request.url ?? '', at: Date.now() })
    await state.answer(response, request)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(state, {
    ok,
    url: `http://localhost:${port}/hook`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
}

/** Answers with a status, headers and a text. */
export const answering =
  (status: number, headers: Record<string, string> = {}, text = ''): Answer =>
  (response) =>
    response.writeHead(status, headers).end(text)
