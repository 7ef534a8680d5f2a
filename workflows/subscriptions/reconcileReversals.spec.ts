import { expect, it } from 'vitest'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import type { SubscriptionCommand } from '#backend/subscriptions/commands.ts'
import type { ProviderReversal } from '#backend/subscriptions/paymentProvider.port.ts'
import type { WebhookDeps } from './applyWebhook.ts'
import { applyReversals, listReversals } from './reconcileReversals.ts'
import { sendCommand } from './sendCommand.ts'

const [userId, agreementId] = ['user', 'A']
const now = Date.UTC(2026, 2, 10)
const on = (date: string) => `2026-${date}T00:00:00.000Z`
const refundOf = (saleId: string): ProviderReversal => ({
  saleId,
  reversalId: `refund of ${saleId}`,
  amountCents: 4499,
  reversal: 'refund',
})

/** Creates the dependencies of a process, for a user who has paid for the sale `known`. */
async function world(listed?: readonly ProviderReversal[]) {
  const handle = createHandle(createMemoryEventStore())
  const findOrigin = async () => undefined
  const price = { amountCents: 4499, priceCents: 4499, currency: 'USD', credits: 4500 }
  const commands = [
    { type: 'RequestSubscription', tier: 'pro', ...price, startsAt: null },
    { type: 'ReportSale', saleId: 'known', ...price, soldAt: on('03-01'), periodEnd: on('04-01') },
  ].map((command) => ({ userId, agreementId, at: on('03-01'), ...command }) as SubscriptionCommand)
  for (const command of commands) await sendCommand({ handle, findOrigin }, command)
  const [claimed, periods, raised]: [string[], string[][], Map<string, string>] = [[], [], new Map()]
  const deps = {
    handle,
    findOrigin,
    findBuyer: async (saleId: string) => (saleId === 'known' ? userId : undefined),
    calendar: () => now,
    payments: {
      getAgreement: async () => undefined,
      reaches: () => true,
      listReversals: async (...period: string[]) => {
        periods.push(period)
        return { reversals: listed ?? [], refusedBy: listed ? [] : ['paypal'], failures: [] }
      },
    },
    credits: {
      grantSale: async () => {},
      forfeitSales: async () => {},
      reverseSale: async (_: string, { reversalId }: { reversalId: string }) => void claimed.push(reversalId),
    },
    alerts: {
      raise: async (code: string, detail: string) => void raised.set(code, detail),
      clear: async (code: string) => void raised.delete(code),
    },
  }
  return { deps: deps as unknown as WebhookDeps, claimed, periods, raised }
}

it('lists the reversals of 62 days', async () => {
  const { deps, periods, raised } = await world([refundOf('known')])
  raised.set('refunds_not_listed', 'from before')
  expect(await listReversals(deps)).toEqual({ reversals: [refundOf('known')], failures: [] })
  expect(periods).toEqual([[on('01-07'), on('03-10')]])
  expect([...raised]).toEqual([])
})

it('lists none if the provider refuses the list, and tells the operator what to do', async () => {
  const { deps, raised } = await world()
  expect(await listReversals(deps)).toEqual({ reversals: [], failures: [] })
  expect([...raised]).toEqual([['refunds_not_listed', expect.stringContaining('"Transaction search"')]])
})

it('settles reversals of known sales, and returns the others', async () => {
  const { deps, claimed } = await world()
  const forEach = async <T>(items: Iterable<T>, step: (item: T) => Promise<unknown>) => {
    for (const item of items) await step(item)
  }
  expect(await applyReversals(deps, [refundOf('other'), refundOf('known')], forEach)).toEqual([refundOf('other')])
  expect(claimed).toEqual(['refund of known'])
})
