import type { IncomingMessage } from 'node:http'
import { ServerResponse } from 'node:http'
import type Koa from 'koa'
import type { Context, Middleware } from 'koa'
import type { Clock } from '../../time.ts'
import { isForPrograms } from '../bearer.ts'
import { API_BASE } from '../contract.ts'
import type { RefuseForeign } from '../ownOrigin.ts'
import { refuseMalformedHead } from '../security.ts'
import { type Client, createFairQueue } from './fairQueue.ts'
import { networkAddress, wideNetwork } from './networkAddress.ts'

export interface ClientRates {
  /** Units of work of a session in a second. */
  readonly session: number
  /** Units of work in a second of requests of a network that have no session. */
  readonly network: number
}

/** Requests in progress and waiting, of a session and of a network. */
const SESSION = { running: 8, waiting: 280 }
const NETWORK = { running: 32, waiting: 480 }
/** Rate of everything that one network sends, with all its sessions, as a multiple of a single session's. */
const WIDE = 8
/** Bytes of a request that count as one unit, like a call. */
const UNIT_BYTES = 256 * 1024
/** Most bytes that are read of a body. A false Content-Length must not cost more to those who share an address. */
const MAX_BODY_BYTES = 32 * 1024 * 1024
/** A file of the site costs the event loop a tenth of a call. */
const FILE_UNITS = 0.1
const CALL_UNITS = 1
/** A handshake, its token and the messages that a socket may send. */
const SOCKET_UNITS = 10

export type FairAdmission = ReturnType<typeof createFairAdmission>

/**
 * Admits requests client by client, before bodies and sessions are read and routes are matched. A client is a session
 * whose token is genuine, or else a network. See docs/decisions/0030-fair-admission.md.
 * @param sessionOf returns the session of a genuine token, without reading the database
 */
export function createFairAdmission(
  rates: ClientRates,
  sessionOf: (ctx: Context) => string | undefined,
  clock?: Clock,
) {
  const queue = createFairQueue(clock)

  const clientOf = (ctx: Context): Client => {
    const session = sessionOf(ctx)
    const wide = { key: `all ${wideNetwork(ctx)}`, rate: WIDE * Math.max(rates.session, rates.network) }
    return session
      ? { budgets: [{ key: `session ${session}`, rate: rates.session }, wide], ...SESSION }
      : { budgets: [{ key: `network ${networkAddress(ctx)}`, rate: rates.network }, wide], ...NETWORK }
  }

  const middleware: Middleware = async (ctx, next) => {
    const { socket } = ctx.req
    const { bytesRead } = socket
    const declared = Math.min(Math.max(0, ctx.request.length ?? 0), MAX_BODY_BYTES)
    const visit = await queue.enter(clientOf(ctx), unitsOf(ctx) + declared / UNIT_BYTES)
    ctx.state.charge = visit.charge
    // The length of a body in chunks is known when it has been read.
    ctx.res.once('close', () => visit.charge(Math.max(0, socket.bytesRead - bytesRead - declared) / UNIT_BYTES))
    try {
      if (!socket.destroyed) await next()
    } finally {
      visit.leave()
    }
  }

  return {
    middleware,

    /**
     * Resolves when a socket may be opened. Browsers state the origin of the page, which must be this site's.
     * @throws Rejection malformed_request, cross_site, too_many_requests
     */
    async admitSocket(app: Koa, request: IncomingMessage, refuse: RefuseForeign): Promise<void> {
      refuseMalformedHead(request)
      refuse(request.headers.origin, request.headers.host)
      const ctx = app.createContext(request, new ServerResponse(request))
      const visit = await queue.enter(clientOf(ctx), SOCKET_UNITS)
      visit.leave()
    },

    stop: queue.stop,
  }
}

function unitsOf({ method, path }: Context): number {
  const isCall = path.startsWith(`${API_BASE}/`) || isForPrograms(path)
  const isFile = (method === 'GET' || method === 'HEAD') && !isCall
  return isFile ? FILE_UNITS : CALL_UNITS
}
