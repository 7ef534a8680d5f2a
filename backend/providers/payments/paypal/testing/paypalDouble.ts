import { randomBytes, sign, verify, X509Certificate } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import type { CertificateSource } from '../certificates.ts'
import { answerCall } from './paypalCalls.ts'
import { PaypalModel } from './paypalModel.ts'
import { type Reply, refused } from './paypalReplies.ts'
import { testCertificate } from './testCertificate.ts'

/** Simulated failure of one call. */
export type Fault =
  | { readonly status: number; readonly text?: string }
  /** The call has no effect and gets no response, or its connection is reset. */
  | 'hang'
  | 'reset'
  /** The call takes effect, but its response is lost. */
  | 'done, then hang'
  | 'done, then reset'

export const DOUBLE_CLIENT = { clientId: 'client-of-double', clientSecret: 'secret-of-double' }
export const DOUBLE_WEBHOOK_ID = '1JE4291016473214C'

const TOKEN = '/v1/oauth2/token'
const CERTIFICATES = '/v1/notifications/certs/'
const VERIFY = '/v1/notifications/verify-webhook-signature'

export interface SignedWebhook {
  readonly headers: Record<string, string>
  readonly body: Buffer
}

export type PaypalDouble = Awaited<ReturnType<typeof startPaypalDouble>>

/** Starts a local double of PayPal's documented REST API. It tests the adapter, not the service. */
export async function startPaypalDouble() {
  const model = new PaypalModel()
  const years = { from: Date.UTC(2020), to: Date.UTC(2040) }
  const root = testCertificate('Test Root', { authority: true, ...years })
  const between = testCertificate('Test Authority', { issuer: root, authority: true, ...years })
  const signer = testCertificate('messageverificationcerts.paypal.com', {
    issuer: between,
    from: Date.UTC(2025),
    to: Date.UTC(2028),
  })
  const sockets = new Set<Socket>()
  const tokens = new Set<string>()
  const done = new Map<string, Reply>()
  const counts = new Map<string, number>()

  const double = {
    url: '',
    model,
    signer,
    authority: between,
    roots: [root.pem],
    /** Certificates to serve, by the last segment of their URL. */
    certificates: new Map([['CERT-1', signer.pem + between.pem]]),
    /** Received calls, as method and path. */
    calls: [] as { readonly call: string; readonly requestId: string | undefined; readonly body: string }[],
    /** Returns the fault to simulate for a call, given its number, which starts at 1. */
    fault: (_call: string, _count: number): Fault | undefined => undefined,
    tokenSeconds: 32_400,
    revokeTokens: () => tokens.clear(),
    /** Fetches certificates with PayPal URLs from this double instead. */
    certificateSource: (async (url: URL): Promise<string | undefined> => {
      const answer = await fetch(new URL(url.pathname, double.url), { signal: AbortSignal.timeout(2_000) })
      if (answer.status >= 500) throw new Error(`HTTP ${answer.status}`)
      return answer.ok ? answer.text() : undefined
    }) satisfies CertificateSource,

    /** Signs an event as PayPal does. Tests can forge parts of it. */
    sign(
      event: object,
      { webhookId = DOUBLE_WEBHOOK_ID, certUrl = certificateUrl('CERT-1'), key = signer.privateKey } = {},
    ) {
      const body = Buffer.from(JSON.stringify(event))
      const [id, time] = [randomBytes(8).toString('hex'), new Date(model.now).toISOString()]
      const message = `${id}|${time}|${webhookId}|${crc32(body)}`
      const headers: Record<string, string> = {
        'paypal-transmission-id': id,
        'paypal-transmission-time': time,
        'paypal-transmission-sig': sign('RSA-SHA256', Buffer.from(message), key).toString('base64'),
        'paypal-cert-url': certUrl,
        'paypal-auth-algo': 'SHA256withRSA',
      }
      return { headers, body } satisfies SignedWebhook
    },

    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }

  const verifySignature = (body: string): Reply => {
    const { transmission_id, transmission_time, transmission_sig, webhook_id } = JSON.parse(body)
    const event = body.slice(body.indexOf('"webhook_event":') + 16, -1)
    const message = Buffer.from(`${transmission_id}|${transmission_time}|${webhook_id}|${crc32(event)}`)
    const { publicKey } = new X509Certificate(signer.pem)
    const isGood = verify('RSA-SHA256', message, publicKey, Buffer.from(transmission_sig, 'base64'))
    return { status: 200, body: { verification_status: isGood ? 'SUCCESS' : 'FAILURE' } }
  }

  const issueToken = (authorization: string | undefined, body: string): Reply => {
    const { clientId, clientSecret } = DOUBLE_CLIENT
    const expected = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    if (authorization !== expected || body !== 'grant_type=client_credentials')
      return { status: 401, body: { error: 'invalid_client', error_description: 'Client Authentication failed' } }
    const access_token = randomBytes(12).toString('hex')
    tokens.add(access_token)
    return { status: 200, body: { access_token, token_type: 'Bearer', expires_in: double.tokenSeconds } }
  }

  const answer = ({ method = '', url = '', headers }: IncomingMessage, body: string): Reply => {
    if (url === TOKEN) return issueToken(headers.authorization, body)
    if (!tokens.has(headers.authorization?.replace('Bearer ', '') ?? ''))
      return { status: 401, body: { error: 'invalid_token', error_description: 'Token signature verification failed' } }
    if (url === VERIFY) return verifySignature(body)
    const requestId = headers['paypal-request-id'] as string | undefined
    const known = requestId && done.get(`${url} ${requestId}`)
    if (known) return known
    const reply = answerCall(model, double.url, method, new URL(url, double.url), body)
    if (requestId && reply.status < 300) done.set(`${url} ${requestId}`, reply)
    return reply
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = '/', headers } = request
    const path = url.split('?')[0]!
    const body = await text(request)
    const call = `${method} ${path}`
    const count = (counts.get(call) ?? 0) + 1
    counts.set(call, count)
    double.calls.push({ call, requestId: headers['paypal-request-id'] as string | undefined, body })
    const fault = double.fault(call, count)
    if (fault === 'hang') return
    if (fault === 'reset') return void request.socket.destroy()
    if (typeof fault === 'object')
      return void response.writeHead(fault.status).end(fault.text ?? JSON.stringify(refused(fault.status).body))
    if (path.startsWith(CERTIFICATES)) {
      const pem = double.certificates.get(path.slice(CERTIFICATES.length))
      return void response.writeHead(pem ? 200 : 404).end(pem)
    }
    const reply = answer(request, body)
    if (fault === 'done, then hang') return
    if (fault === 'done, then reset') return void request.socket.destroy()
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.end(reply.body === undefined ? undefined : JSON.stringify(reply.body))
  }

  const server = createServer(
    (request, response) => void serve(request, response).catch(() => request.socket.destroy()),
  )
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return double
}

export const certificateUrl = (name: string): string => `https://api.paypal.com${CERTIFICATES}${name}`
