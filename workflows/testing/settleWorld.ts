import { createCases } from '#backend/cases/cases.ts'
import { createCredits } from '#backend/credits/credits.ts'
import type { CreditAccountEvent } from '#backend/credits/events.ts'
import { createOrigins } from '#backend/kernel/eventsourcing/createOrigins.ts'
import { createHandle } from '#backend/kernel/eventsourcing/handle.ts'
import { chainStart, eventHash } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import { createMemoryEventStore } from '#backend/kernel/eventsourcing/testing/memoryEventStore.ts'
import type { SubscriptionEvent } from '#backend/subscriptions/events.ts'
import type { ProviderAgreement } from '#backend/subscriptions/paymentProvider.port.ts'
import { at, on, userId } from '#backend/subscriptions/testing/subscriptionFacts.ts'
import { PaymentModel } from '#proof/money/paymentModel.ts'
import { type SettleDeps, settleSubscription } from '../subscriptions/settleSubscription.ts'

const stream = `subscription-${userId}`

/** A provider that records which agreements it was told to change, and which it was asked about. */
class RecordingProvider extends PaymentModel {
  readonly calls: string[] = []
  override async pauseAgreement(id: string) {
    this.calls.push(`pause ${id}`)
    await super.pauseAgreement(id)
  }
  override async resumeAgreement(id: string) {
    this.calls.push(`resume ${id}`)
    await super.resumeAgreement(id)
  }
  override async cancelAgreement(id: string) {
    this.calls.push(`cancel ${id}`)
    await super.cancelAgreement(id)
  }
  override async getAgreement(id: string) {
    this.calls.push(`get ${id}`)
    return super.getAgreement(id)
  }
  knows(status: ProviderAgreement['status'], statusAt = on('01-05'), id = 'A') {
    const agreement = { id, userId, statusAt, nextBillingAt: on('02-01'), trial: false, failedAt: null }
    this.accounts.set(id, { ...agreement, status, tier: 'pro', sales: [] })
  }
}

/** One user's subscription and ledger in memory, with a provider whose state each test sets. It is 10 January. */
export class SettleWorld {
  now = Date.parse(at)
  readonly store = createMemoryEventStore()
  readonly provider = new RecordingProvider(() => this.now)
  readonly alerts = new Map<string, string>()
  readonly deps: SettleDeps

  constructor() {
    const handle = createHandle(this.store)
    const calendar = () => this.now
    const alerts = {
      raise: async (code: string, detail: string) => void this.alerts.set(code, detail),
      clear: async (code: string) => void this.alerts.delete(code),
    }
    const credits = createCredits(handle, calendar)
    this.deps = {
      handle,
      findOrigin: createOrigins(this.store),
      payments: this.provider.tills('paypal'),
      credits,
      alerts,
      cases: createCases({ handle, calendar, changes: { waitFor: async () => {} } }),
      calendar,
    }
  }

  /** Stores events, each as the step of a request. The request of an agreement is named after it. */
  async given(...events: readonly SubscriptionEvent[]): Promise<void> {
    let previousHash = chainStart(stream)
    for (const [revision, { type, data }] of events.entries()) {
      const correlationId = type === 'SubscriptionRequested' ? `request ${data.agreementId}` : 'another request'
      const event = { id: crypto.randomUUID(), type, data, meta: { correlationId, previousHash } }
      await this.store.append(stream, revision === 0 ? 'no_stream' : revision - 1, [event])
      previousHash = eventHash(this.store.log.at(-1)!)
    }
  }

  settle = () => settleSubscription(this.deps, userId)

  /** Settles and returns the events added to the subscription. */
  async settled(): Promise<object[]> {
    const known = this.store.log.length
    await this.settle()
    const added = this.store.log.slice(known).filter((event) => event.stream === stream)
    return added.map(({ type, data }) => ({ type, data }))
  }

  /** Returns the events of the credit account. */
  ledger() {
    return this.store.log.flatMap(({ stream: name, type, data, meta }) =>
      name === `creditAccount-${userId}` ? [{ ...({ type, data } as CreditAccountEvent), meta }] : [],
    )
  }

  /** Returns the calls that changed something at the provider. */
  changes() {
    return this.provider.calls.filter((call) => !call.startsWith('get'))
  }
}
