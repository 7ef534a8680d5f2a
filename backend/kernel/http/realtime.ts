import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Database } from '../postgres/orm.ts'
import { API_BASE } from './contract.ts'

const TOKEN_SECONDS = 60
/** A socket that has said nothing for so long is gone; clients ping every 30 s. */
const SILENCE_MS = 120_000
/** Not more than this waits for a slow reader: a lost update is made good by the client's next refresh. */
const BACKLOG_BYTES = 1_000_000
const UNAUTHENTICATED = 4001

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export interface Realtime {
  /** A single-use token for the socket's address. */
  issueToken(userId: string): Promise<string>
  /** Users that are connected to this process. */
  isOnline(userId: string): boolean
  /** Sockets that are open here. */
  count(): number
  /** Whether any user is. */
  hasClients(): boolean
  send(userId: string, message: object): void
  /** Lets go of a user's sockets: whoever may still come, comes back with a new token. */
  disconnect(userId: string): void
  /** Lets go of every socket, to come back at once. */
  disconnectAll(): void
  attach(server: Server): void
  /** Tells every client to come back, and lets go of them. */
  close(): void
}

/** The sockets of this process, by user. What they are told, others decide. */
export function createRealtime(database: Database): Realtime {
  const sockets = new Map<string, Set<WebSocket>>()
  const server = new WebSocketServer({ noServer: true, maxPayload: 4_096 })

  const spend = async (token: string): Promise<string | undefined> => {
    const [row] = await database.em
      .fork()
      .execute<{ user_id: string }[]>(
        'delete from socket_token where hash = ? and expires_at > now() returning user_id',
        [hashOf(token)],
      )
    return row?.user_id
  }

  const welcome = async (socket: WebSocket, request: IncomingMessage) => {
    socket.on('error', () => socket.terminate())
    const early: string[] = []
    let hear = (text: string) => void early.push(text)
    socket.on('message', (data) => hear(String(data)))
    const token = addressOf(request)?.searchParams.get('token') ?? ''
    const userId = await spend(token).catch(() => undefined)
    // One that went away meanwhile has told so already, and will not again.
    if (socket.readyState !== socket.OPEN) return
    if (!userId) {
      socket.close(UNAUTHENTICATED, 'unauthenticated')
      return
    }
    const own = sockets.get(userId) ?? new Set()
    sockets.set(userId, own.add(socket))
    let silence = setTimeout(() => socket.terminate(), SILENCE_MS)
    hear = (text) => {
      clearTimeout(silence)
      silence = setTimeout(() => socket.terminate(), SILENCE_MS)
      if (isPing(text)) socket.send('{"type":"pong"}')
    }
    early.forEach(hear)
    socket.on('close', () => {
      clearTimeout(silence)
      own.delete(socket)
      if (own.size === 0) sockets.delete(userId)
    })
  }

  return {
    async issueToken(userId) {
      const token = randomBytes(32).toString('base64url')
      const em = database.em.fork()
      await em.execute('delete from socket_token where expires_at < now()')
      await em.execute(
        `insert into socket_token (hash, user_id, expires_at) values (?, ?, now() + interval '${TOKEN_SECONDS} seconds')`,
        [hashOf(token), userId],
      )
      return token
    },

    isOnline: (userId) => sockets.has(userId),
    count: () => server.clients.size,
    hasClients: () => sockets.size > 0,

    send(userId, message) {
      const text = JSON.stringify(message)
      for (const socket of sockets.get(userId) ?? []) {
        if (socket.bufferedAmount > BACKLOG_BYTES) socket.terminate()
        else socket.send(text)
      }
    },

    disconnect(userId) {
      for (const socket of sockets.get(userId) ?? []) socket.close(1012, 'sign in again')
    },

    disconnectAll() {
      for (const socket of server.clients) socket.close(1012, 'come back')
    },

    attach(http) {
      http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
        if (addressOf(request)?.pathname !== `${API_BASE}/ws`) stream.destroy()
        else server.handleUpgrade(request, stream, head, (socket) => void welcome(socket, request))
      })
    },

    close() {
      this.disconnectAll()
      server.close()
    },
  }
}

/** Undefined for what is no address at all, such as `//`. */
const addressOf = ({ url }: IncomingMessage): URL | undefined => URL.parse(url ?? '', 'http://localhost') ?? undefined

function isPing(text: string): boolean {
  if (text === 'ping') return true
  try {
    return (JSON.parse(text) as { type?: unknown } | null)?.type === 'ping'
  } catch {
    return false
  }
}

/** Removes a user's unused socket tokens, for the erasure of the account. */
export const eraseSocketTokens = (database: Database, userId: string) =>
  database.em.fork().execute('delete from socket_token where user_id = ?', [userId])
