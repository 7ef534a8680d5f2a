import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { makeSecret, signedHeaders } from './signature.ts'

const SECRET = 'whsec_a2lub3JhLXRlc3Qtc2VjcmV0LTI0Ynl0'
const ID = 'msg_018f0000-0000-7000-8000-000000000001'
const BODY =
  '{"type":"video.completed","timestamp":"2026-11-28T21:06:40.000Z","data":{"id":"018f0000-0000-7000-8000-0000000000aa"}}'

it('signs the fixed vector as Standard Webhooks does', () => {
  const at = 1_795_900_000_999
  expect(signedHeaders([SECRET], ID, at, BODY)).toEqual({
    'content-type': 'application/json',
    'webhook-id': ID,
    'webhook-timestamp': '1795900000',
    'webhook-signature': 'v1,iihFBGEjmprWIV3IiDIIHuct2UM/FkqIxeha0ukJ5Qw=',
  })
  expect(new Webhook(SECRET).sign(ID, new Date(at), BODY)).toBe('v1,iihFBGEjmprWIV3IiDIIHuct2UM/FkqIxeha0ukJ5Qw=')
})

it('signs with both secrets during a rotation, and either verifies', () => {
  const secrets = [makeSecret(), makeSecret()]
  const headers = signedHeaders(secrets, ID, Date.now(), BODY)
  for (const secret of secrets)
    expect(new Webhook(secret).verify(BODY, headers)).toMatchObject({ type: 'video.completed' })
  expect(() => new Webhook(makeSecret()).verify(BODY, headers)).toThrow('No matching signature')
})
