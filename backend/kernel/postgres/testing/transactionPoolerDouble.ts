import { once } from 'node:events'
import net from 'node:net'
import { splitMessages } from './serverMessages.ts'

const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)

/**
 * A double of a pooler in transaction mode: each transaction of a client runs on the server connection that has been idle
 * the longest. Speaks the wire protocol of PostgreSQL (https://www.postgresql.org/docs/18/protocol-flow.html), without TLS.
 */
export async function startTransactionPoolerDouble(to: net.NetConnectOpts) {
  const idle: Backend[] = []
  const sockets = new Set<net.Socket>()
  const track = (socket: net.Socket) => sockets.add(socket.on('error', () => {}))
  const server = net.createServer((client) => {
    track(client)
    const home = new Backend(net.connect(to))
    track(home.socket)
    let current: Backend | undefined = home
    const serve = (backend: Backend) => {
      current = backend
      backend.onBytes = (bytes) => client.write(bytes)
      backend.onIdle = () => {
        current = undefined
        idle.push(backend)
      }
    }
    serve(home)
    client.on('data', (bytes) => {
      if (!current) serve(idle.shift()!)
      current!.socket.write(bytes)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as net.AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A connection to the server. Passes on its bytes, and tells when a transaction has ended. */
class Backend {
  readonly socket: net.Socket
  onBytes: (bytes: Buffer) => void = () => {}
  onIdle: () => void = () => {}
  readonly #split = splitMessages()

  constructor(socket: net.Socket) {
    this.socket = socket.on('data', (bytes) => this.#read(bytes))
  }

  #read(bytes: Buffer): void {
    this.onBytes(bytes)
    const last = this.#split(bytes).at(-1)
    if (last?.[0] === READY_FOR_QUERY && last[5] === IDLE) this.onIdle()
  }
}
