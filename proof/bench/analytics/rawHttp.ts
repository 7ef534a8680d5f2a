import net from 'node:net'

export interface Answer {
  readonly status: number
  readonly body: string
}
export interface Connection {
  /** Sends a request. Wait for the response before sending the next one. */
  ask(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<Answer>
  close(): void
}

/**
 * Opens a keep-alive HTTP connection with little CPU overhead, because client and server share the machine. Supports
 * only responses with a Content-Length and responses without a body.
 */
export async function connection(url: string): Promise<Connection> {
  const { hostname, port, host } = new URL(url)
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let received = ''
  let waiting: PromiseWithResolvers<Answer> | undefined
  socket.setEncoding('latin1').on('data', (text) => {
    received += text
    const head = received.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, head + 2))?.[1] ?? 0)
    if (received.length < head + 4 + length) return
    const answer = { status: Number(received.slice(9, 12)), body: received.slice(head + 4, head + 4 + length) }
    received = received.slice(head + 4 + length)
    waiting?.resolve(answer)
  })
  const fail = () => waiting?.reject(new Error('the connection is gone'))
  socket.on('error', fail).on('close', fail)
  return {
    ask(method, path, headers = {}, body = '') {
      waiting = Promise.withResolvers<Answer>()
      const lines = Object.entries({ host, 'content-length': String(Buffer.byteLength(body)), ...headers })
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n${body}`)
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}
