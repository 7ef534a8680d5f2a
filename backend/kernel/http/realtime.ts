import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Database } from '../postgres/orm.ts'
import { API_BASE } from './contract.ts'

const TOKEN_SECONDS = 60
/** Time without a message after which a client is disconnected. Clients ping every 30 s. */
const SILENCE_MS = 120_000
/** Send backlog, in bytes, above which a client is disconnected. Its next refresh recovers lost updates. */
const BACKLOG_BYTES = 1_000_000
const UNAUTHENTICATED = 4001
const SERVICE_RESTART = 1012

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export type Realtime = ReturnType<typeof createRealtime>

/**
 * Manages the WebSockets of this process by user. Callers decide what to send.
 * @example
 * realtime.attach(server)
 * realtime.send(userId, { type: 'credits_update', balance: 5 })
 */
export function createRealtime(database: Database) {
  const sockets = new Map<string, Set<WebSocket>>()
  const server = new WebSocketServer({ noServer: true, maxPayload: 4_096 })

  const spendToken = async (token: string): Promise<string | undefined> => {
    const sql = 'delete from socket_token where hash = ? and expires_at > now() returning user_id'
    const [row] = await database.em.fork().execute<{ user_id: string }[]>(sql, [hashOf(token)])
    return row?.user_id
  }

  const accept = async (socket: WebSocket, request: IncomingMessage) => {
    socket.on('error', () => socket.terminate())
    const early: string[] = []
    let receive = (text: string) => void early.push(text)
    socket.on('message', (data) => receive(String(data)))
    const token = urlOf(request)?.searchParams.get('token') ?? ''
    const userId = await spendToken(token).catch(() => undefined)
    // A socket that closed while the token was checked emits no further `close`.
    if (socket.readyState !== socket.OPEN) return
    if (!userId) return socket.close(UNAUTHENTICATED, 'unauthenticated')
    const own = sockets.get(userId) ?? new Set()
    sockets.set(userId, own.add(socket))
    const silence = setTimeout(() => socket.terminate(), SILENCE_MS)
    receive = (text) => {
      silence.refresh()
      if (isPing(text)) socket.send('{"type":"pong"}')
    }
    early.forEach(receive)
    socket.on('close', () => {
      clearTimeout(silence)
      own.delete(socket)
      if (own.size === 0) sockets.delete(userId)
    })
  }

  /** Disconnects every socket; clients reconnect immediately. */
  const disconnectAll = () => {
    for (const socket of server.clients) socket.close(SERVICE_RESTART, 'reconnect')
  }

  return {
    disconnectAll,

    /** Issues a single-use token for the socket URL, valid for 60 seconds. */
    async issueToken(userId: string): Promise<string> {
      const token = randomBytes(32).toString('base64url')
      const em = database.em.fork()
      await em.execute('delete from socket_token where expires_at < now()')
      await em.execute(
        `insert into socket_token (hash, user_id, expires_at) values (?, ?, now() + interval '${TOKEN_SECONDS} seconds')`,
        [hashOf(token), userId],
      )
      return token
    },

    /** Returns whether the user has a socket on this process. */
    isOnline: (userId: string): boolean => sockets.has(userId),
    /** Returns the number of open sockets on this process, authenticated or not. */
    count: (): number => server.clients.size,
    hasClients: (): boolean => sockets.size > 0,

    send(userId: string, message: object): void {
      const text = JSON.stringify(message)
      for (const socket of sockets.get(userId) ?? []) {
        if (socket.bufferedAmount > BACKLOG_BYTES) socket.terminate()
        else socket.send(text)
      }
    },

    /** Disconnects a user's sockets; reconnecting requires a new token. */
    disconnect(userId: string): void {
      for (const socket of sockets.get(userId) ?? []) socket.close(SERVICE_RESTART, 'sign in again')
    },

    attach(http: Server): void {
      http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
        if (urlOf(request)?.pathname !== `${API_BASE}/ws`) stream.destroy()
        else server.handleUpgrade(request, stream, head, (socket) => void accept(socket, request))
      })
    },

    close(): void {
      disconnectAll()
      server.close()
    },
  }
}

/** Returns undefined for a request target that is not a URL, such as `//`. */
const urlOf = ({ url }: IncomingMessage): URL | undefined => URL.parse(url ?? '', 'http://localhost') ?? undefined

function isPing(text: string): boolean {
  if (text === 'ping') return true
  try {
    return (JSON.parse(text) as { type?: unknown } | null)?.type === 'ping'
  } catch {
    return false
  }
}

/** Deletes a user's unused socket tokens when the account is erased. */
export const eraseSocketTokens = (database: Database, userId: string) =>
  database.em.fork().execute('delete from socket_token where user_id = ?', [userId])
