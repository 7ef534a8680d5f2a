import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Attacker } from './attacker.ts'
import type { Account } from './target.ts'

const PER_USER = 20
const POLICY_VIOLATION = 1008
const TOO_LARGE = 1009
const WAIT_MS = 3_000

/** Attacks the WebSocket: too many sockets, floods, huge and broken frames, and readers that do not read. */
export async function sockets(attacker: Attacker): Promise<string> {
  const as = await attacker.target.newAccount()
  const open = await Promise.all(Array.from({ length: PER_USER + 10 }, () => connected(attacker, as)))
  const kept = open.filter(({ readyState }) => readyState === WebSocket.OPEN)
  if (kept.length > PER_USER) attacker.find(`a user has ${kept.length} sockets`)
  await closes(attacker, 'a frame of 1 MB', kept[0]!, TOO_LARGE, (socket) => socket.send('x'.repeat(1_000_000)))
  await closes(attacker, 'a flood of pings', kept[1]!, POLICY_VIOLATION, (socket) => {
    for (let n = 0; n < 2_000; n++) socket.send('ping')
  })
  await closes(attacker, 'a flood of broken JSON', kept[2]!, POLICY_VIOLATION, (socket) => {
    for (let n = 0; n < 200; n++) socket.send('['.repeat(4_000))
  })
  for (const socket of kept) socket.terminate()

  const { hostname, port } = new URL(attacker.target.url)
  const raw = await Promise.all(
    ['GET //[ HTTP/1.1', 'GET /api/v1/ws?token=x HTTP/1.1', 'GET /api/v1/ws HTTP/1.1', 'GET /other HTTP/1.1'].map(
      async (line) => {
        const socket = connect(Number(port), hostname).on('error', () => {})
        const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13'
        socket.write(`${line}\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${key}\r\n\r\n`)
        socket.write(Buffer.alloc(100_000, 0xff))
        // A reader that does not read.
        socket.pause()
        return socket
      },
    ),
  )
  await delay(500)
  for (const socket of raw) socket.destroy()
  if ((await attacker.call('GET', '/auth/me', as)).status !== 200) attacker.find('the session ended with its sockets')
  const again = await connected(attacker, as)
  if (again.readyState !== WebSocket.OPEN) attacker.find('sockets of a user are not released')
  again.terminate()
  return `${open.length} sockets of one user, ${kept.length} kept`
}

/** Opens a socket. Resolves when it answered a ping or closed. */
async function connected(attacker: Attacker, as: Account): Promise<WebSocket> {
  const { token } = (await attacker.call('POST', '/ws/token', as)).json() as { token: string }
  const socket = new WebSocket(`${attacker.target.api.replace('http', 'ws')}/ws?token=${token}`)
  const settled = Promise.withResolvers<void>()
  socket.on('error', () => settled.resolve()).on('close', () => settled.resolve())
  socket.on('open', () => socket.send('ping')).on('message', () => settled.resolve())
  await settled.promise
  return socket
}

async function closes(
  attacker: Attacker,
  what: string,
  socket: WebSocket,
  code: number,
  act: (socket: WebSocket) => void,
) {
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  act(socket)
  const seen = await Promise.race([closed, delay(WAIT_MS, 0, { ref: false })])
  if (seen !== code) attacker.find(`${what} closes the socket with ${seen || 'nothing'}`)
}
