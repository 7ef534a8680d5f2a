import { expect, it } from 'vitest'
import { Deviations } from '../deviation.ts'
import { ProviderSales } from './providerSales.ts'

it('does not take the sales of a provider that is not set up for forged ones', async () => {
  const [deviations, asked] = [new Deviations(), [] as string[]]
  const sales = new ProviderSales(async (id) => {
    asked.push(id)
    return id === 'gone:A' ? undefined : []
  })
  const place = { stream: 'subscription-user', revision: 0, id: 'event', position: '1' }
  const paid = { saleId: 's', amountCents: 499, currency: 'USD' }
  sales.take({ ...place, type: 'SubscriptionPaid', data: { ...paid, agreementId: 'gone:A' } } as never)
  sales.take({ ...place, type: 'PackPaid', data: { ...paid, agreementId: 'O' } } as never)
  expect(await sales.compare(deviations)).toEqual({ compared: 1, unreached: 1 })
  expect([asked, deviations.count]).toEqual([['gone:A', 'O'], 1])
})
