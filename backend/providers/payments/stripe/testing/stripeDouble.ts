import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { STRIPE_VERSION } from '../stripeApi.ts'
import { answerCall } from './stripeCalls.ts'
import { Refused, type StripeEvent, StripeModel } from './stripeModel.ts'
import { answerPage } from './stripePages.ts'

/** Simulated failure of one call. */
export type Fault =
  | { readonly status: number; readonly text?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The call has no effect and gets no response, or its connection is reset. */
  | 'hang'
  | 'reset'
  /** The call takes effect, but its response is lost. */
  | 'done, then hang'
  | 'done, then reset'

export const DOUBLE_KEY = 'sk_test_double'
export const DOUBLE_SECRET = 'whsec_double'

interface Reply {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

export type StripeDouble = Awaited<ReturnType<typeof startStripeDouble>>

const KEPT_MS = 24 * 3_600_000

interface DoubleOptions {
  readonly port?: number
  /** Address to which webhooks are sent after each call and page; by default they wait in `model.events`. */
  readonly webhooks?: string
  /** By default the time stands still, unless the model is told to advance it. */
  readonly clock?: () => number
}

/** Starts a local double of Stripe's API and of its pages. It tests the adapter, not the service. */
export async function startStripeDouble({ port = 0, webhooks = '', clock }: DoubleOptions = {}) {
  const model = new StripeModel(clock)
  const sockets = new Set<Socket>()
  const done = new Map<string, { readonly request: string; readonly reply: Reply; readonly at: number }>()
  const counts = new Map<string, number>()

  const double = {
    url: '',
    webhooks,
    model,
    /** Received calls, as method and path. */
    calls: [] as { readonly call: string; readonly key: string | undefined; readonly params: URLSearchParams }[],
    /** Returns the fault to simulate for a call, given its number, which starts at 1. */
    fault: (_call: string, _count: number): Fault | undefined => undefined,

    /** Signs an event as Stripe does. Tests can forge parts of it. */
    sign(event: StripeEvent, { secret = DOUBLE_SECRET, at = model.seconds, api_version = STRIPE_VERSION } = {}) {
      const about = { object: 'event', api_version, livemode: false, pending_webhooks: 1, request: null }
      const body = Buffer.from(JSON.stringify({ ...event, ...about }))
      const signature = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex')
      return { headers: { 'stripe-signature': `t=${at},v1=${signature}` } as Record<string, string>, body }
    },

    /** Sends the waiting webhooks, and keeps those that are not answered with success. */
    async deliver(): Promise<void> {
      for (const event of model.events.splice(0)) {
        // Signed in real time: only business time can be moved.
        const { headers, body } = double.sign(event, { at: Math.floor(Date.now() / 1000) })
        const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }
        const answer = await fetch(double.webhooks, init).catch(() => undefined)
        if (!answer?.ok) model.events.push(event)
      }
    },

    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }

  const answer = ({ method = '', headers }: IncomingMessage, url: URL, body: string): Reply => {
    if (headers.authorization !== `Bearer ${DOUBLE_KEY}`)
      return failure(new Refused(401, '', `Invalid API Key provided: ${headers.authorization?.slice(7)}`))
    if (headers['stripe-version'] !== STRIPE_VERSION) return failure(new Refused(400, '', 'Invalid Stripe API version'))
    const key = headers['idempotency-key'] as string | undefined
    const request = `${method} ${url.pathname} ${body}`
    const known = key ? done.get(key) : undefined
    if (known && known.at > model.now - KEPT_MS) {
      if (known.request !== request)
        return failure(
          new Refused(
            400,
            '',
            'Keys for idempotent requests can only be used with the same parameters they were first used with.',
          ),
          'idempotency_error',
        )
      return { ...known.reply, headers: { 'idempotent-replayed': 'true' } }
    }
    let reply: Reply
    try {
      const form = method === 'POST' ? new URLSearchParams(body) : url.searchParams
      reply = { status: 200, body: answerCall(model, method, url.pathname, form) }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return failure(error)
    }
    if (key) done.set(key, { request, reply: structuredClone(reply), at: model.now })
    return reply
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', headers } = request
    const url = new URL(request.url ?? '/', double.url)
    const body = await text(request)
    model.advance(0)
    const form = method === 'POST' ? new URLSearchParams(body) : url.searchParams
    if (!url.pathname.startsWith('/v1/')) {
      const page = answerPage(model, method, url.pathname, form)
      if (double.webhooks) await double.deliver()
      response.writeHead(page?.location ? 303 : page ? 200 : 404, {
        'content-type': 'text/html; charset=utf-8',
        ...(page?.location && { location: page.location }),
      })
      return void response.end(page?.html)
    }
    const call = `${method} ${url.pathname}`
    const count = (counts.get(call) ?? 0) + 1
    counts.set(call, count)
    double.calls.push({ call, key: headers['idempotency-key'] as string | undefined, params: form })
    const fault = double.fault(call, count)
    if (fault === 'hang') return
    if (fault === 'reset') return void request.socket.destroy()
    const about = { 'content-type': 'application/json', 'request-id': `req_${randomBytes(7).toString('hex')}` }
    if (typeof fault === 'object') {
      const said = fault.text ?? JSON.stringify(failure(new Refused(fault.status, 'simulated', 'A fault')).body)
      return void response.writeHead(fault.status, { ...about, ...fault.headers }).end(said)
    }
    const reply = answer(request, url, body)
    if (fault === 'done, then hang') return
    if (fault === 'done, then reset') return void request.socket.destroy()
    if (double.webhooks) void double.deliver()
    response.writeHead(reply.status, { ...about, ...reply.headers }).end(JSON.stringify(reply.body))
  }

  const server = createServer(
    (request, response) => void serve(request, response).catch(() => request.socket.destroy()),
  )
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  model.url = double.url
  return double
}

const failure = ({ status, code, message, param }: Refused, type = 'invalid_request_error'): Reply => ({
  status,
  body: { error: { type, ...(code && { code }), message, ...(param && { param }) } },
})
