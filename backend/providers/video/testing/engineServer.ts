import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

/** A fault to inject into one call. */
export type EngineFault =
  | { readonly status: number; readonly text?: string }
  /** The call has no effect. It gets no response, or the connection is reset. */
  | 'hang'
  | 'reset'
  /** The call takes effect, but its response is lost. */
  | 'done, then hang'
  | 'done, then reset'

export interface Received {
  /** Such as `GET /v1/videos`. */
  readonly call: string
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface Answer {
  readonly status?: number
  readonly body: object | string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Starts the HTTP server of a test double, which records its calls, can inject faults and can disappear. */
export async function startEngineServer(answer: (received: Received) => Answer | Promise<Answer>, upgrade?: Upgrade) {
  const sockets = new Set<Socket>()
  const engine = {
    url: '',
    received: [] as Received[],
    /** Returns the fault to inject into a call, if any. */
    fault: (_call: string): EngineFault | undefined => undefined,
    /** Returns the milliseconds that a call takes before it has an effect. */
    takes: (_call: string): number => 0,
    /** Returns how often a call was received. */
    count: (call: string) => engine.received.filter((each) => each.call === call).length,
    /** Stops listening and closes all connections. */
    async goAway() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await delay(10)
    },
    comeBack: () => listen(Number(new URL(engine.url).port)),
    close: () => engine.goAway(),
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', engine.url)
    const call = `${request.method} ${url.pathname}`
    const received = { call, url, headers: request.headers, body: await bodyOf(request) }
    engine.received.push(received)
    const fault = engine.fault(call)
    if (fault === 'hang') return
    if (fault === 'reset') return void request.socket.destroy()
    if (engine.takes(call) > 0) await delay(engine.takes(call))
    if (typeof fault === 'object') return void response.writeHead(fault.status).end(fault.text ?? '<html>')
    const { status = 200, body, headers } = await answer(received)
    if (fault === 'done, then hang') return
    if (fault === 'done, then reset') return void request.socket.destroy()
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    response.writeHead(status, isRaw ? headers : { 'content-type': 'application/json', ...headers })
    response.end(isRaw ? body : JSON.stringify(body))
  }

  let server = createServer()
  const listen = async (port: number) => {
    server = createServer((request, response) => void serve(request, response).catch(() => request.socket.destroy()))
    if (upgrade) server.on('upgrade', upgrade)
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  }
  await listen(0)
  engine.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return engine
}

/** Parses a multipart body. */
export const formOf = ({ headers, body }: Received): Promise<FormData> =>
  new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
