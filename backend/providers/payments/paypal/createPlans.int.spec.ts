import { expect, it } from 'vitest'
import { createPlans } from './createPlans.ts'
import { createPaypalApi } from './paypalApi.ts'
import { DOUBLE_CLIENT, startPaypalDouble } from './testing/paypalDouble.ts'

it('plans at PayPal are created once when the program runs repeatedly', async () => {
  const double = await startPaypalDouble()
  const api = createPaypalApi({ ...DOUBLE_CLIENT, baseUrl: double.url }, { timeoutMs: 60_000, pauseMs: 5 })
  let left = 1
  double.fault = (call) => (call === 'POST /v1/billing/plans' && left-- > 0 ? 'done, then reset' : undefined)
  const first = await createPlans(api)
  const made = double.model.plans.size
  expect(await createPlans(api)).toEqual(first)
  expect([made, double.model.plans.size]).toEqual([6, 6])
  expect(Object.values(first).map((id) => double.model.plans.get(id)?.price)).toEqual(['12.99', '44.99', '129.99'])
  await double.close()
})

it('plans at PayPal do not add a missed payment to the next sale', async () => {
  const double = await startPaypalDouble()
  await createPlans(createPaypalApi({ ...DOUBLE_CLIENT, baseUrl: double.url }))
  const plans = double.calls.filter(({ call }) => call === 'POST /v1/billing/plans').map(({ body }) => JSON.parse(body))
  expect(plans).toHaveLength(3)
  for (const { payment_preferences } of plans) expect(payment_preferences.auto_bill_outstanding).toBe(false)
  await double.close()
})
