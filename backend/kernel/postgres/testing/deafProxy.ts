import { once } from 'node:events'
import net from 'node:net'
import { splitMessages } from './serverMessages.ts'

const NOTIFICATION = 'A'.charCodeAt(0)

/** Starts a proxy in front of a PostgreSQL server, on a free local port, that can drop the notifications of all sessions. */
export async function startDeafProxy(to: net.NetConnectOpts) {
  const sockets = new Set<net.Socket>()
  let isDeaf = false
  let withheld: string | undefined
  let release = Promise.withResolvers<void>()
  const server = net.createServer((client) => {
    const backend = net.connect(to)
    const split = splitMessages()
    let answered = Promise.resolve()
    for (const [one, other] of [
      [client, backend],
      [backend, client],
    ] as const)
      sockets.add(one.on('error', () => {}).on('close', () => other.destroy()))
    client.on('data', (bytes) => {
      if (withheld !== undefined && bytes.includes(withheld)) answered = release.promise
      backend.write(bytes)
    })
    backend.on('data', (bytes) => {
      const heard = Buffer.concat(split(bytes).filter(([type]) => !isDeaf || type !== NOTIFICATION))
      answered = answered.then(() => void client.write(heard))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as net.AddressInfo).port,
    /** Drops all notifications from now on. A start would be refused. */
    deafen() {
      isDeaf = true
    },
    /** Holds back the answers to statements that contain a text, until it is called without one. */
    withhold(text?: string) {
      withheld = text
      if (text === undefined) release.resolve()
      else release = Promise.withResolvers()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
