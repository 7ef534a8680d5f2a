import { once } from 'node:events'
import net from 'node:net'

/** A load balancer in front of several API processes. */
export interface RoundRobinProxy {
  readonly url: string
  close(): Promise<void>
}

/** Forwards TCP connections to the local ports in turn, skipping ports that refuse the connection. */
export async function startRoundRobinProxy(ports: readonly number[]): Promise<RoundRobinProxy> {
  const open = new Set<net.Socket>()
  let turn = 0
  const forward = (near: net.Socket, first: number, tried = 0) => {
    if (tried === ports.length) return void near.destroy()
    const far = net.connect(ports[(first + tried) % ports.length]!, '127.0.0.1')
    const next = () => forward(near, first, tried + 1)
    far.once('error', next)
    far.once('connect', () => {
      far.off('error', next).on('error', () => {})
      open.add(far)
      near.on('close', () => far.destroy())
      far.on('close', () => {
        open.delete(far)
        near.destroy()
      })
      near.pipe(far)
      far.pipe(near)
    })
  }
  const server = net.createServer((near) => {
    near.on('error', () => {})
    open.add(near)
    near.on('close', () => open.delete(near))
    forward(near, turn++)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as net.AddressInfo).port}`,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
