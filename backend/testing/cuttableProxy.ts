import { once } from 'node:events'
import net from 'node:net'

/** A TCP proxy that simulates network failures. */
export interface CuttableProxy {
  readonly port: number
  /** Resets every connection. */
  cut(): void
  /** Drops all traffic, including that of new connections, like a network outage. */
  freeze(): void
  /** Drops the traffic of open connections only, like a firewall that has lost its state. */
  strand(): void
  close(): Promise<void>
}

/** Starts a proxy on a free local port. */
export async function startCuttableProxy(to: net.NetConnectOpts): Promise<CuttableProxy> {
  const sockets = new Set<net.Socket>()
  const stranded = new Set<net.Socket>()
  let isFrozen = false
  const strand = (socket: net.Socket) => {
    stranded.add(socket)
    socket.unpipe()
    socket.pause()
  }
  const server = net.createServer((near) => {
    const far = net.connect(to)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one)
          // During an outage, the other side is not notified of a closed connection.
          if (!stranded.has(one)) other.destroy()
        })
      if (isFrozen) strand(one)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const each = (act: (socket: net.Socket) => void) => [...sockets].forEach(act)
  return {
    port: (server.address() as net.AddressInfo).port,
    cut: () => each((socket) => socket.destroy()),
    freeze() {
      isFrozen = true
      each(strand)
    },
    strand: () => each(strand),
    async close() {
      stranded.clear()
      each((socket) => socket.destroy())
      server.close()
      await once(server, 'close')
    },
  }
}
