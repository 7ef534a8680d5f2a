import { describe, expect, it } from 'vitest'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { readCallbackToken, webhookUrlOf } from './callbackToken.ts'
import { createWebhookSigner } from './testing/webhookSigner.ts'
import { verifyFalWebhook, verifyStandardWebhook } from './webhookSignature.ts'

const NOW = 1_790_000_000
const BODY = '{"request_id":"1","status":"OK"}'

describe.each(['ed25519-fal', 'standard-webhooks'] as const)('a webhook signed as %s', (scheme) => {
  const signer = createWebhookSigner()
  const verify = (headers: Record<string, string | undefined>, body = BODY, now = NOW, from = signer) => {
    const webhook = { headers, body: Buffer.from(body), now }
    return scheme === 'ed25519-fal'
      ? verifyFalWebhook(webhook, from.jwks().keys)
      : verifyStandardWebhook(webhook, from.secret)
  }
  const signed = signer.sign(scheme, BODY, NOW)
  const names = Object.keys(signed)

  it('is accepted for five minutes', () => {
    for (const now of [NOW, NOW - 300, NOW + 300]) expect(verify(signed, BODY, now)).toBe(true)
    for (const now of [NOW - 301, NOW + 301]) expect(verify(signed, BODY, now)).toBe(false)
  })

  it('is rejected with another body or another key', () => {
    expect(verify(signed, `${BODY} `)).toBe(false)
    expect(verify(signed, BODY, NOW, createWebhookSigner())).toBe(false)
  })

  it.each(names)('is rejected if %s is missing, changed or repeated', (name) => {
    for (const value of [undefined, '', '1', 'x'.repeat(128), '0'.repeat(128), String(NOW + 1)])
      expect(verify({ ...signed, [name]: value })).toBe(false)
    expect(verify({ ...signed, [name]: [signed[name]!, signed[name]!] as never })).toBe(false)
  })
})

it('verifies the example of the Standard Webhooks specification', () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const webhook = { headers, body: Buffer.from('{"test": 2432232314}'), now: 1_614_265_330 }
  expect(verifyStandardWebhook(webhook, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toBe(true)
})

describe('the webhook address of a task', () => {
  it('names its task and model, and fails with another secret, provider, task or model', () => {
    const task = { taskId: uuid7(), providerModel: 'fal-ai/kling-video/v2' }
    const token = webhookUrlOf('https://kinora.test', 'secret', 'fal', task).split('/').at(-1)!
    expect(readCallbackToken('secret', 'fal', token)).toEqual(task)
    const [id, model, mac] = token.split('.')
    for (const [secret, provider, forged] of [
      ['other', 'fal', token],
      ['secret', 'replicate', token],
      ['secret', 'fal', `${uuid7()}.${model}.${mac}`],
      ['secret', 'fal', `${id}.${Buffer.from('x').toString('base64url')}.${mac}`],
      ['secret', 'fal', `${id}.${model}.`],
      ['secret', 'fal', 'x'],
    ] as const)
      expect(readCallbackToken(secret, provider, forged)).toBe(undefined)
  })
})
