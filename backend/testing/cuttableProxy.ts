import { once } from 'node:events'
import net from 'node:net'

/** A network in between, whose faults a test makes. */
export interface CuttableProxy {
  readonly port: number
  /** Ends every connection, as a reset does. */
  cut(): void
  /** Swallows everything, new connections too, as a network that is gone does; `thaw` lets what waited go on. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

/** Forwards each TCP connection on a free port of this machine to what `net.connect` is given. */
export async function startCuttableProxy(to: net.NetConnectOpts): Promise<CuttableProxy> {
  const sockets = new Set<net.Socket>()
  let frozen = false
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
          // A network that is gone does not tell of a side that left.
          if (!frozen) other.destroy()
        })
      if (frozen) one.pause()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const each = (act: (socket: net.Socket) => void) => [...sockets].forEach(act)
  return {
    port: (server.address() as net.AddressInfo).port,
    cut: () => each((socket) => socket.destroy()),
    freeze() {
      frozen = true
      each((socket) => socket.pause())
    },
    thaw() {
      frozen = false
      each((socket) => socket.resume())
    },
    async close() {
      frozen = false
      each((socket) => socket.destroy())
      server.close()
      await once(server, 'close')
    },
  }
}
