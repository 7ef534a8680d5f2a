import type { CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Agreement, Subscription } from '#backend/subscriptions/agreements.rules.ts'
import { SUBSCRIPTION, type SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import type { PaymentModel } from '#proof/money/paymentModel.ts'
import { Violation } from './violation.ts'

type Granted = Extract<CreditAccountEvent, { type: 'CreditLotGranted' }>

const isBilled = ({ status, cancelled }: Agreement) =>
  status === 'scheduled' || ((status === 'active' || status === 'suspended') && cancelled === 'no')

/** What buyers get for their payments, compared with the payment provider at rest. */
export class MoneyInvariants {
  readonly #states = new Map<string, Subscription>()
  /** Ids of all lots that were ever granted. */
  readonly #granted = new Set<string>()

  observe(event: Stored): void {
    const { type, data, stream } = event as Stored<SubscriptionEvent>
    if (event.type === 'CreditLotGranted') this.#granted.add((event as unknown as Granted).data.lotId)
    if (!stream.startsWith(`${SUBSCRIPTION}-`)) return
    const state = this.#states.get(data.userId) ?? subscription.initial
    this.#states.set(data.userId, subscription.evolve(state, { type, data } as SubscriptionEvent))
  }

  /** At rest, every sale has brought its credits, and reversals have claimed their share of them. */
  atRest(quarantined: ReadonlySet<string>, provider: PaymentModel): void {
    for (const [userId, { agreements }] of this.#states)
      if (!quarantined.has(userId) && agreements.filter(isBilled).length > 1)
        throw new Violation('one agreement can be billed', `${userId} has several`)
    for (const { userId = '', sales } of provider.accounts.values())
      if (!quarantined.has(userId))
        for (const sale of sales) {
          if (!this.#granted.has(`sale-${sale.id}`))
            throw new Violation('no sale without credits', `${sale.id} granted none`)
          this.#assertClaims(userId, sale.id, provider.takenBack(sale) / sale.amountCents)
        }
  }

  #assertClaims(userId: string, saleId: string, share: number): void {
    const { sales, reversals } = this.#states.get(userId)!
    const { credits } = sales.find(({ id }) => id === saleId)!
    const claimed = reversals.reduce((sum, each) => sum + (each.saleId === saleId ? each.credits : 0), 0)
    const due = Math.floor(credits * share)
    // The share is a fraction, whose product can fall short of a whole number.
    if (Math.abs(claimed - due) > 1 || claimed > credits)
      throw new Violation('claims follow the money', `${claimed} credits of ${saleId} are claimed, ${due} are due`)
  }
}
