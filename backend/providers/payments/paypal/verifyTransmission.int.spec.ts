import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ValidationError } from '#backend/kernel/http/problemDetails.ts'
import { PaymentProviderDown } from '#backend/subscriptions/paymentProvider.port.ts'
import { isCertificateUrl } from './certificates.ts'
import { createPaypal, type PaypalOptions } from './paypal.ts'
import {
  certificateUrl,
  DOUBLE_CLIENT,
  DOUBLE_WEBHOOK_ID,
  type PaypalDouble,
  type SignedWebhook,
  startPaypalDouble,
} from './testing/paypalDouble.ts'
import { MODEL_PLANS } from './testing/paypalModel.ts'
import { testCertificate } from './testing/testCertificate.ts'

const EVENT = {
  id: 'WH-1',
  event_type: 'BILLING.SUBSCRIPTION.ACTIVATED',
  create_time: '2026-01-31T12:00:00Z',
  summary: 'Ein Abo, 一份订阅',
  resource: { id: 'I-1', status: 'ACTIVE' },
}
const VERIFY = 'POST /v1/notifications/verify-webhook-signature'
const LASTING = { from: Date.UTC(2020), to: Date.UTC(2040) }
let double: PaypalDouble

const adapter = (change: Partial<PaypalOptions> = {}) =>
  createPaypal({
    ...DOUBLE_CLIENT,
    baseUrl: double.url,
    webhookId: DOUBLE_WEBHOOK_ID,
    plans: MODEL_PLANS,
    pace: { timeoutMs: 30_000, pauseMs: 5 },
    certificates: { source: double.certificateSource, roots: double.roots },
    now: () => double.model.now,
    ...change,
  })
const read = ({ headers, body }: SignedWebhook, provider = adapter()) => provider.verifyWebhook(headers, body)
const times = (part: string) => double.calls.filter(({ call }) => call.includes(part)).length

beforeAll(async () => {
  double = await startPaypalDouble()
})
afterAll(() => double.close())
beforeEach(() => {
  double.fault = () => undefined
  double.calls.length = 0
})

describe('a PayPal webhook', () => {
  it('is verified locally with a cached certificate', async () => {
    const provider = adapter()
    for (let n = 0; n < 3; n++) expect(await read(double.sign(EVENT), provider)).toMatchObject({ id: 'WH-1' })
    expect([times('/certs/'), times('')]).toEqual([1, 1])
  })

  it('parses to the same result when it is redelivered', async () => {
    const webhook = double.sign(EVENT)
    const provider = adapter()
    expect(await read(webhook, provider)).toEqual(await read(webhook, provider))
  })

  it('is rejected if its body, webhook id or key differs from the signed one', async () => {
    const { headers, body } = double.sign(EVENT)
    expect(await read({ headers, body: Buffer.from(body.toString().replace('I-1', 'I-2')) })).toBe(undefined)
    expect(await read({ headers, body: Buffer.concat([body, Buffer.from(' ')]) })).toBe(undefined)
    expect(await read(double.sign(EVENT, { webhookId: 'ANOTHER' }))).toBe(undefined)
    const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    expect(await read(double.sign(EVENT, { key }))).toBe(undefined)
    expect(times(VERIFY)).toBe(0)
  })

  it('is rejected without a call if a header is missing or malformed', async () => {
    const { headers, body } = double.sign(EVENT)
    for (const name of Object.keys(headers)) {
      const { [name]: _, ...rest } = headers
      expect(await read({ headers: rest, body })).toBe(undefined)
      if (name.endsWith('-sig')) continue
      for (const malformed of ['', '\u0000', 'x'.repeat(3_000)])
        expect(await read({ headers: { ...headers, [name]: malformed }, body })).toBe(undefined)
    }
    expect(await read({ headers: { ...headers, 'paypal-auth-algo': 'SHA1withRSA' }, body })).toBe(undefined)
    expect(times(VERIFY)).toBe(0)
  })

  it.each([
    ['https://api.paypal.com/v1/notifications/certs/CERT-1', true],
    ['https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1', true],
    ['http://api.paypal.com/v1/notifications/certs/CERT-1', false],
    ['https://paypal.com/CERT-1', false],
    ['https://evilpaypal.com/CERT-1', false],
    ['https://api.paypal.com.evil.test/CERT-1', false],
    ['https://evil.test/api.paypal.com', false],
    ['https://api.paypal.com@evil.test/CERT-1', false],
    ['https://user@api.paypal.com/CERT-1', false],
    ['https://api.paypal.com:8443/CERT-1', false],
    ['https://www.paypal.com/v1/notifications/certs/CERT-1', false],
    ['https://api.paypal.com/v1/oauth2/token', false],
    ['https://api.paypal.com/v1/notifications/certs/../../oauth2/token', false],
    ['https://api.paypal.com/v1/notifications/certs/CERT-1?x=1', false],
    ['file:///etc/passwd', false],
    ['//api.paypal.com/CERT-1', false],
  ])('may name a certificate at %s: %j', async (certUrl, expected) => {
    expect(isCertificateUrl(certUrl)).toBe(expected)
    if (!expected) expect(await read(double.sign(EVENT, { certUrl }))).toBe(undefined)
    if (!expected) expect(times('')).toBe(0)
  })

  it('is rejected before and after the validity of its certificate', async () => {
    const provider = adapter({ now: () => now })
    let now = double.model.now
    expect(await read(double.sign(EVENT), provider)).toMatchObject({ id: 'WH-1' })
    for (now of [Date.UTC(2024), Date.UTC(2029)]) expect(await read(double.sign(EVENT), provider)).toBe(undefined)
  })

  it.each([
    ['issued to another host', 'messages.evil.test'],
    ['issued to a host with PayPal as a prefix', 'api.paypal.com.evil.test'],
  ])('is rejected if its certificate is %s', async (_, name) => {
    const { pem, privateKey: key } = testCertificate(name, { issuer: double.authority, ...LASTING })
    double.certificates.set('CERT-2', pem + double.authority.pem)
    expect(await read(double.sign(EVENT, { certUrl: certificateUrl('CERT-2'), key }))).toBe(undefined)
  })

  it.each([
    ['is missing', ''],
    ['is malformed', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
  ])('is rejected without asking PayPal if the certificate %s', async (_, pem) => {
    double.certificates.set('CERT-3', pem)
    expect(await read(double.sign(EVENT, { certUrl: certificateUrl('CERT-3') }))).toBe(undefined)
    expect(times(VERIFY)).toBe(0)
  })

  it('is verified by PayPal, in its original text, if the certificate is unavailable', async () => {
    double.fault = (call) => (call.includes('/certs/') ? { status: 503 } : undefined)
    const webhook = double.sign(EVENT)
    expect(await read(webhook)).toMatchObject({ id: 'WH-1' })
    expect(await read({ ...webhook, body: Buffer.from(webhook.body.toString().replace('I-1', 'I-2')) })).toBe(undefined)
    expect(await read({ ...webhook, body: Buffer.from('not JSON') })).toBe(undefined)
    expect(times(VERIFY)).toBe(2)
    double.fault = () => ({ status: 503 })
    await expect(read(webhook)).rejects.toThrow(PaymentProviderDown)
  })

  it('is verified by PayPal if its certificate does not chain to a trusted root', async () => {
    const provider = adapter({ certificates: { source: double.certificateSource, roots: [] } })
    expect(await read(double.sign(EVENT), provider)).toMatchObject({ id: 'WH-1' })
    expect(times(VERIFY)).toBe(1)
    // Anyone can create a certificate in PayPal's name. PayPal rejects its signatures.
    const { pem, privateKey: key } = testCertificate('messageverificationcerts.paypal.com', LASTING)
    double.certificates.set('CERT-4', pem)
    expect(await read(double.sign(EVENT, { certUrl: certificateUrl('CERT-4'), key }))).toBe(undefined)
    const issued = testCertificate('api.paypal.com', { issuer: double.signer, ...LASTING })
    double.certificates.set('CERT-5', issued.pem + double.certificates.get('CERT-1'))
    const signed = double.sign(EVENT, { certUrl: certificateUrl('CERT-5'), key: issued.privateKey })
    expect(await read(signed)).toBe(undefined)
    expect(times(VERIFY)).toBe(3)
  })

  it('that names an unavailable certificate does not call PayPal again for a minute', async () => {
    double.fault = (call) => (call.includes('/certs/') ? { status: 404 } : undefined)
    let now = double.model.now
    const provider = adapter({ now: () => now })
    for (let n = 0; n < 5; n++)
      expect(await read(double.sign(EVENT, { certUrl: certificateUrl('LOST') }), provider)).toBe(undefined)
    expect(times('')).toBe(1)
    now += 60_001
    await read(double.sign(EVENT, { certUrl: certificateUrl('LOST') }), provider)
    expect(times('')).toBe(2)
  })

  it('is not refused for longer than a minute when the clock was set back', async () => {
    double.fault = (call) => (call.includes('/certs/') ? { status: 404 } : undefined)
    let now = double.model.now
    const provider = adapter({ now: () => now })
    const webhook = double.sign(EVENT, { certUrl: certificateUrl('CERT-1') })
    expect(await read(webhook, provider)).toBe(undefined)
    double.fault = () => undefined
    now -= 240_000
    expect(await read(webhook, provider)).toMatchObject({ id: 'WH-1' })
  })

  it('that is forged many times calls PayPal a limited number of times', async () => {
    double.fault = (call) => (call.includes('/certs/') ? { status: 503 } : undefined)
    const provider = adapter({ now: () => double.model.now })
    const forge = (n: number) => read(double.sign(EVENT, { certUrl: certificateUrl(`CERT-${n}`) }), provider)
    await Promise.allSettled(Array.from({ length: 100 }, (_, n) => forge(n)))
    expect([times('/certs/'), times(VERIFY)]).toEqual([10, 20])
  })

  it('throws ValidationError if the signature is valid but the body is not an event', async () => {
    await expect(read(double.sign({ id: 7 }))).rejects.toThrow(ValidationError)
  })
})
