import { createHash, createHmac, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'

/** Signs webhooks as fal and Standard Webhooks do, for the wire double. */
export function createWebhookSigner() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const secret = randomBytes(24)
  return {
    secret: `whsec_${secret.toString('base64')}`,
    jwks: () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'double' }] }),
    /** Returns the headers of a body. `at` is in seconds. */
    sign(scheme: string, body: string, at: number): Record<string, string> {
      const id = randomUUID()
      if (scheme === 'ed25519-fal') {
        const digest = createHash('sha256').update(body).digest('hex')
        const signature = sign(null, Buffer.from(`${id}\nuser\n${at}\n${digest}`), privateKey).toString('hex')
        const values = { 'request-id': id, 'user-id': 'user', timestamp: String(at), signature }
        return Object.fromEntries(Object.entries(values).map(([name, value]) => [`x-fal-webhook-${name}`, value]))
      }
      if (scheme !== 'standard-webhooks') return {}
      const signature = createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64')
      const values = { id, timestamp: String(at), signature: `v1,bm90IHRoaXM= v1,${signature}` }
      return Object.fromEntries(Object.entries(values).map(([name, value]) => [`webhook-${name}`, value]))
    },
  }
}
