import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import type { Database } from '../postgres/orm.ts'
import { API_BASE } from './contract.ts'
import { statusOf } from './problemDetails.ts'
import { createSocketTokens } from './socketTokens.ts'

/** Time without a message after which a client is disconnected. Clients ping every 30 s. */
const SILENCE_MS = 120_000
/** Send backlog, in bytes, above which a client is disconnected. Its next refresh recovers lost updates. */
const BACKLOG_BYTES = 1_000_000
/** Maximum number of a user's sockets on this process. */
const SOCKETS_PER_USER = 20
/** Maximum number of messages from a client in {@link SILENCE_MS}. */
const MESSAGES_MAX = 60
/** Time between two sockets that a stopping process disconnects, ms. */
const CLOSE_EVERY_MS = 25
/** Time in which a stopping process disconnects all sockets, however many there are, ms. */
const CLOSE_WITHIN_MS = 6_000
/** Life of a socket. Its client then opens another with a new token, which needs a session that has not expired. */
const SOCKET_MS = 8 * 3_600_000
const UNAUTHENTICATED = 4001
const SERVICE_RESTART = 1012
const POLICY_VIOLATION = 1008
const TRY_AGAIN_LATER = 1013
/** Longest message that can be a ping. */
const PING_CHARACTERS = 100
/** Time for which a client that breaks the rules may read the reason, ms. */
const LAST_WORDS_MS = 1_000

export type Realtime = ReturnType<typeof createRealtime>

/** Compares the sockets that were asked for with those that arrive. */
interface SocketWatch {
  expired(tokens: number): void
  arrived(): void
}

/**
 * Manages the WebSockets of this process by user. A socket belongs to the session that opened it. Callers decide what to
 * send.
 * @example
 * const realtime = createRealtime(database, sessions.isOpen)
 * realtime.attach(createServer({ shouldUpgradeCallback: isSocketRequest }))
 * realtime.send(userId, { type: 'credits_update', balance: 5 })
 */
export function createRealtime(
  database: Database,
  isSessionOpen: (sessionId: string) => Promise<boolean>,
  watch: SocketWatch = { expired() {}, arrived() {} },
) {
  const sockets = new Map<string, Set<WebSocket>>()
  const sessions = new WeakMap<WebSocket, string>()
  const tokens = createSocketTokens(database, watch.expired)
  const server = new WebSocketServer({ noServer: true, maxPayload: 4_096 })

  const accept = async (socket: WebSocket, request: IncomingMessage) => {
    const startReceiving = limitMessages(socket)
    const token = urlOf(request)?.searchParams.get('token') ?? ''
    const owner = await tokens.spend(token)
    // A socket that closed while the token was checked emits no further `close`.
    if (socket.readyState !== socket.OPEN) return
    if (!owner) return socket.close(UNAUTHENTICATED, 'unauthenticated')
    const { userId, sessionId } = owner
    const own = sockets.get(userId) ?? new Set()
    if (own.size >= SOCKETS_PER_USER) return socket.close(TRY_AGAIN_LATER, 'too many connections')
    sockets.set(userId, own.add(socket))
    sessions.set(socket, sessionId)
    socket.on('close', () => {
      own.delete(socket)
      if (own.size === 0) sockets.delete(userId)
    })
    startReceiving()
    watch.arrived()
    // Checked after the socket is kept: a session that ends from now on closes it.
    if (!(await isSessionOpen(sessionId))) socket.close(UNAUTHENTICATED, 'unauthenticated')
  }

  return {
    ...createDoor(server, accept),

    /** Issues a single-use token for the socket URL, valid for 60 seconds and for the session. */
    issueToken: tokens.issue,

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

    /** Disconnects the sockets of ended sessions; reconnecting requires a new token. */
    endSessions(ended: readonly string[]): void {
      for (const socket of server.clients)
        if (ended.includes(sessions.get(socket) ?? '')) socket.close(SERVICE_RESTART, 'sign in again')
    },
  }
}

/** Opens sockets, and closes all of them. */
function createDoor(server: WebSocketServer, accept: (socket: WebSocket, request: IncomingMessage) => Promise<void>) {
  return {
    /** Serves the sockets of a server that upgrades {@link isSocketRequest} only. @param admit rejects if another site asks, or a client opens too many */
    attach(http: Server, admit: (request: IncomingMessage) => Promise<void> = async () => {}): void {
      const upgrade = async (request: IncomingMessage, stream: Duplex, head: Buffer): Promise<unknown> => {
        const onError = () => stream.destroy()
        stream.on('error', onError)
        const refusal = await admit(request).catch((error: unknown) => error)
        // A client that keeps its side open would hold the connection, and a stopping server would wait for it.
        if (refusal) return stream.end(refusalOf(refusal), () => stream.destroy())
        stream.off('error', onError)
        if (stream.destroyed) return
        return server.handleUpgrade(request, stream, head, (socket) => {
          // A token that could not be checked is not a wrong one: the client asks for another.
          accept(socket, request).catch(() => socket.close(TRY_AGAIN_LATER, 'unavailable'))
        })
      }
      http.on('upgrade', (...parts) => void upgrade(...parts).catch(() => parts[1].destroy()))
    },

    /** Disconnects every socket; clients reconnect immediately. */
    disconnectAll(): void {
      for (const socket of server.clients) socket.close(SERVICE_RESTART, 'reconnect')
    },

    /** Ends the connections of sockets whose clients do not answer, such as those out of reach. */
    terminate(): void {
      for (const socket of server.clients) socket.terminate()
    },

    /**
     * Disconnects every socket, one after another: the clients connect to the other processes, which would keep them
     * waiting if all came at the same moment.
     */
    async close(): Promise<void> {
      server.close()
      const sockets = [...server.clients]
      const step = Math.ceil(sockets.length / (CLOSE_WITHIN_MS / CLOSE_EVERY_MS))
      for (let at = 0; at < sockets.length; at += step) {
        if (at > 0) await delay(CLOSE_EVERY_MS)
        for (const socket of sockets.slice(at, at + step)) socket.close(SERVICE_RESTART, 'reconnect')
      }
    },
  }
}

/**
 * Keeps the messages of a socket until its owner is known. Returns a function that then answers them and disconnects the
 * client after silence, too many messages, or the life of a socket.
 */
function limitMessages(socket: WebSocket): () => void {
  socket.on('error', () => socket.terminate())
  const early: string[] = []
  let receive = (text: string) => {
    if (early.push(text) > MESSAGES_MAX) expel(socket)
  }
  socket.on('message', (data) => receive(String(data)))
  return () => {
    let messages = 0
    const silence = setTimeout(() => socket.terminate(), SILENCE_MS)
    const recount = setInterval(() => {
      messages = 0
    }, SILENCE_MS)
    const expiry = setTimeout(() => socket.close(SERVICE_RESTART, 'reconnect'), SOCKET_MS)
    socket.on('close', () => {
      clearTimeout(silence)
      clearInterval(recount)
      clearTimeout(expiry)
    })
    receive = (text) => {
      silence.refresh()
      if (++messages > MESSAGES_MAX) expel(socket)
      else if (isPing(text)) socket.send('{"type":"pong"}')
    }
    early.forEach(receive)
  }
}

/** Returns the answer to a handshake that is not admitted. */
function refusalOf(error: unknown): string {
  const status = error instanceof Rejection ? statusOf(error.code) : 503
  const retryAfter = status === 429 || status === 503 ? 'Retry-After: 5\r\n' : ''
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${retryAfter}Connection: close\r\n\r\n`
}

/**
 * Returns whether a request opens a socket. Requests that would upgrade to anything else are answered as if they did not
 * ask (RFC 9110, section 7.8): a connection that ends without an answer looks to a proxy like a server that is down.
 */
export const isSocketRequest = (request: IncomingMessage): boolean =>
  request.headers.upgrade?.toLowerCase() === 'websocket' && urlOf(request)?.pathname === `${API_BASE}/ws`

/** Returns undefined for a request target that is not a URL, such as `//`. */
const urlOf = ({ url }: IncomingMessage): URL | undefined => URL.parse(url ?? '', 'http://localhost') ?? undefined

/** Closes a socket without reading what its client has sent, or still sends. */
function expel(socket: WebSocket): void {
  socket.close(POLICY_VIOLATION, 'too many messages')
  socket.pause()
  setTimeout(() => socket.terminate(), LAST_WORDS_MS).unref()
}

function isPing(text: string): boolean {
  if (text === 'ping') return true
  if (text.length > PING_CHARACTERS) return false
  try {
    return (JSON.parse(text) as { type?: unknown } | null)?.type === 'ping'
  } catch {
    return false
  }
}
