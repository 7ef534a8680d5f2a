import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGuard, type Guard } from '#backend/kernel/http/outgoing/guardedRequest.ts'

interface Received {
  /** Claims of the VAPID token (RFC 8292), after its signature was verified. */
  readonly claims: { readonly aud: string; readonly sub: string; readonly exp: number }
  /** Public key of the token, base64url. */
  readonly key: string
  readonly message: { readonly title: string; readonly body: string; readonly path: string }
}

const HOST = 'push.kinora.test'

/** Starts a push service that verifies the signature of each message (RFC 8292) and decrypts it like a browser (RFC 8291). */
export async function startPushServiceDouble() {
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)
  const state = { status: 201, received: [] as Received[] }
  const server = createServer(async (incoming, response) => {
    const body = Buffer.concat(await Array.fromAsync(incoming))
    state.received.push({ ...verified(incoming), message: JSON.parse(decrypted(body)) })
    response.writeHead(state.status, { location: `http://127.0.0.1:${port}/moved` }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const guard = createGuard({ privateHosts: ['127.0.0.1'], allowsHttp: true })
  const send: Guard['send'] = (address, options) =>
    guard.send(`http://127.0.0.1:${port}${new URL(address).pathname}`, options)

  function decrypted(body: Buffer): string {
    const salt = body.subarray(0, 16)
    const keyLength = body[20]!
    const serverKey = body.subarray(21, 21 + keyLength)
    const shared = browser.computeSecret(serverKey)
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), serverKey])
    const secret = Buffer.from(hkdfSync('sha256', shared, auth, info, 32))
    const derive = (name: string, length: number) =>
      Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, length))
    const sealed = body.subarray(21 + keyLength)
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
    decipher.setAuthTag(sealed.subarray(-16))
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    // The delimiter of the last record, then zeros.
    return padded.subarray(0, padded.lastIndexOf(2)).toString()
  }

  return {
    state,
    /** What the browser of the double tells the site. */
    subscription: (id: string) => ({
      endpoint: `https://${HOST}:${port}/${id}`,
      keys: { p256dh: browser.getPublicKey().toString('base64url'), auth: auth.toString('base64url') },
    }),
    /** Leads the sender to this server, without TLS. */
    transport: { send },
    close: () => void server.close(),
  }
}

function verified({ headers }: IncomingMessage): Omit<Received, 'message'> {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? '') ?? []
  const [head, claims, signature] = token.split('.') as [string, string, string]
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url')) as [
    string,
    string,
  ]
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  if (!verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
    throw new Error('The VAPID signature is invalid')
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), key }
}
