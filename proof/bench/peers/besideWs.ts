import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import { createRealtime } from '#backend/kernel/http/realtime.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { compareSides, type Side } from '../ratios/compareRates.ts'
import { type PeerRow, peerRow } from './report.ts'

const UPDATE = { type: 'credits_update', remaining: 30, total: 60 }
const USERS = 64
/** Sockets of one user, to which an update is delivered. The limit of a process. */
const TABS = 20

/** Opens a socket, and returns a function that resolves at its next message. */
async function openSocket(address: string) {
  const socket = new WebSocket(address, { perMessageDeflate: false })
  await once(socket, 'open')
  return { socket, next: () => once(socket, 'message') }
}
type Client = Awaited<ReturnType<typeof openSocket>>

/** Starts both servers in this process. Our sockets are opened with a token and belong to a session. */
async function startServers() {
  const db = await startTemporaryDatabase()
  const realtime = createRealtime(db.database, async () => true)
  const [ours, theirs] = [createServer(), createServer()]
  realtime.attach(ours)
  const bare = new WebSocketServer({ server: theirs })
  const portOf = async (server: typeof ours) => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  const [port, barePort] = [await portOf(ours), await portOf(theirs)]
  return {
    realtime,
    /** Opens a socket to our server, and waits until its token is checked: only then it answers a ping. */
    async openOurs(userId: string): Promise<Client> {
      const token = await realtime.issueToken(userId, randomUUID())
      const client = await openSocket(`ws://127.0.0.1:${port}/api/v1/ws?token=${token}`)
      client.socket.send('ping')
      await client.next()
      return client
    },
    /** Opens a socket to the bare server. Returns it with the server's end. */
    async openBare(): Promise<{ client: Client; end: WebSocket }> {
      const [[end], client] = await Promise.all([
        once(bare, 'connection') as Promise<[WebSocket]>,
        openSocket(`ws://127.0.0.1:${barePort}`),
      ])
      return { client, end }
    },
    async close() {
      await realtime.close()
      for (const end of bare.clients) end.terminate()
      for (const server of [ours, theirs]) server.close()
      await db.close()
    },
  }
}

/** Compares the delivery of an update to signed-in users with `ws` alone: to one socket of each, and to 20 of one user. */
export async function besideWs(): Promise<PeerRow[]> {
  const servers = await startServers()
  const { realtime } = servers
  const deliver = async (tabs: number, users: number): Promise<[Side, Side]> => {
    const ids = Array.from({ length: users }, () => randomUUID())
    const ours: Client[][] = []
    const bare: Awaited<ReturnType<typeof servers.openBare>>[][] = []
    for (const id of ids) {
      const [own, other]: [Client[], (typeof bare)[number]] = [[], []]
      for (let tab = 0; tab < tabs; tab++) {
        own.push(await servers.openOurs(id))
        other.push(await servers.openBare())
      }
      ours.push(own)
      bare.push(other)
    }
    const work = async (user: number) => {
      const arrivals = ours[user]!.map(({ next }) => next())
      realtime.send(ids[user]!, UPDATE)
      await Promise.all(arrivals)
    }
    const workBare = async (user: number) => {
      const arrivals = bare[user]!.map(({ client }) => client.next())
      const text = JSON.stringify(UPDATE)
      for (const { end } of bare[user]!) end.send(text)
      await Promise.all(arrivals)
    }
    return [{ work }, { work: workBare }]
  }
  const rows: PeerRow[] = []
  for (const [question, tabs, clients] of [
    ['deliver an update', 1, USERS],
    [`deliver an update to ${TABS} sockets`, TABS, 1],
  ] as const) {
    const [ours, peer] = await deliver(tabs, clients)
    rows.push(peerRow(question, 'ws alone', clients, await compareSides(question, clients, ours, peer)))
  }
  await servers.close()
  return rows
}
