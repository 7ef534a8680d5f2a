import { expect, it } from 'vitest'
import { createOrder } from './orders.ts'
import type { PaypalApi } from './paypalApi.ts'

it.each([
  ['en', '1100 Kinora credits'],
  ['zh', 'Kinora 1100 积分'],
] as const)("describes a pack in the buyer's language (%s)", async (language, description) => {
  const bodies: unknown[] = []
  const post = async (_path: string, _shape: unknown, body: unknown) => {
    bodies.push(body)
    return { id: 'O' }
  }
  const order = { requestId: 'r', userId: 'ada', credits: 1_100, amountCents: 1_499, currency: 'USD', language }
  await createOrder({ post } as unknown as PaypalApi, { ...order, returnUrl: 'https://a', cancelUrl: 'https://b' })
  expect(bodies).toMatchObject([{ purchase_units: [{ description }] }])
})
