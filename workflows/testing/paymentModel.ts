import { monthsAfter } from '#backend/kernel/time.ts'
import type { PaidTier } from '#backend/subscriptions/events.ts'
import type {
  PaymentProvider,
  ProviderAgreement,
  ProviderSale,
  WebhookSubject,
} from '#backend/subscriptions/paymentProvider.port.ts'
import { PLANS } from '#backend/subscriptions/plans.contract.ts'

type Account = { -readonly [K in keyof ProviderAgreement]: ProviderAgreement[K] } & {
  tier: PaidTier
  sales: ProviderSale[]
}

/** An in-memory payment provider. Tests move its clock and deliver its webhooks. */
export class PaymentModel implements PaymentProvider {
  readonly name = 'model'
  readonly accounts = new Map<string, Account>()
  readonly webhooks: WebhookSubject[] = []
  readonly #now: () => number
  #count = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get #at() {
    return new Date(this.#now()).toISOString()
  }

  #setStatus(account: Account, status: ProviderAgreement['status']) {
    account.status = status
    account.statusAt = this.#at
    this.webhooks.push({ kind: 'agreement', agreementId: account.id })
  }

  async createAgreement({ userId, tier }: { userId: string; tier: PaidTier }) {
    const id = `I-${++this.#count}`
    const pending = {
      status: 'pending',
      statusAt: this.#at,
      nextBillingAt: null,
      trial: false,
      failedAt: null,
    } as const
    this.accounts.set(id, { id, userId, tier, sales: [], ...pending })
    return { agreementId: id, approvalUrl: `https://pay.test/${id}` }
  }

  /** Activates an agreement and bills the first month. */
  approve(id: string) {
    const account = this.accounts.get(id)
    if (account?.status !== 'pending') return
    this.#setStatus(account, 'active')
    this.bill(id)
  }

  /** Bills an active agreement for one month. */
  bill(id: string) {
    const account = this.accounts.get(id)
    if (account?.status !== 'active') return
    const { priceCents } = PLANS[account.tier]
    const sale = {
      id: `S-${id}-${account.sales.length}`,
      agreementId: id,
      amountCents: priceCents,
      currency: 'USD',
      soldAt: this.#at,
    }
    account.sales.push(sale)
    account.failedAt = null
    account.nextBillingAt = monthsAfter(sale.soldAt, 1)
    this.webhooks.push({ kind: 'sale', sale })
  }

  failPayment(id: string) {
    const account = this.accounts.get(id)
    if (account?.status !== 'active') return
    account.failedAt = this.#at
    this.webhooks.push({ kind: 'payment_failed', agreementId: id, failedAt: this.#at })
  }

  /** Refunds a percentage of the last sale. */
  refund(id: string, percent: number) {
    const sale = this.accounts.get(id)?.sales.at(-1)
    if (!sale) return
    const amountCents = Math.floor((sale.amountCents * percent) / 100)
    this.webhooks.push({
      kind: 'reversal',
      saleId: sale.id,
      reversalId: `R-${++this.#count}`,
      amountCents,
      reversal: 'refund',
    })
  }

  async getAgreement(id: string) {
    const account = this.accounts.get(id)
    return account && { ...account }
  }

  async listSales(id: string, from: string, to: string) {
    return (this.accounts.get(id)?.sales ?? []).filter(({ soldAt }) => soldAt >= from && soldAt <= to)
  }

  async pauseAgreement(id: string) {
    const account = this.accounts.get(id)
    if (account?.status === 'active') this.#setStatus(account, 'suspended')
  }

  async resumeAgreement(id: string) {
    const account = this.accounts.get(id)
    if (account?.status === 'suspended') this.#setStatus(account, 'active')
  }

  async cancelAgreement(id: string) {
    const account = this.accounts.get(id)
    if (account?.status === 'active' || account?.status === 'suspended') {
      account.nextBillingAt = null
      this.#setStatus(account, 'cancelled')
    }
  }

  async verifyWebhook() {
    return undefined
  }
}
