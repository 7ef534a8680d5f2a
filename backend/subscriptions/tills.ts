import {
  type ListedSale,
  type NewAgreement,
  type NewOrder,
  type NewRefund,
  type PaymentProvider,
  PaymentProviderDown,
  type ProviderAgreement,
  type ProviderDispute,
  type ProviderOrder,
  type ProviderReversal,
  type ReversalHint,
  type SignedWebhook,
  type WebhookSubject,
} from './paymentProvider.port.ts'

/** Tills whose ids are stored without a prefix, because they were stored before there were others. At most one is set up. */
const WITHOUT_PREFIX: readonly string[] = ['paypal', 'sandbox']

/** Address of the webhooks of a till, below `/webhooks/`. The sandbox sends those of PayPal. */
const addressOf = (name: string) => (name === 'sandbox' ? 'paypal' : name)

/** A till, with the functions that add its prefix to its ids and remove it. */
type Till = Readonly<{ provider: PaymentProvider; prefix: string }>

const find = (tills: readonly Till[], id: string) => {
  const [prefix = ''] = /^[a-z]+:/.exec(id) ?? []
  const till = tills.find((each) => each.prefix === prefix)
  return till && { ...till, own: id.slice(prefix.length) }
}

function reached(tills: readonly Till[], id: string) {
  const till = find(tills, id)
  if (!till) throw new PaymentProviderDown(`the payment provider of ${id} is not set up`)
  return till
}

function named(tills: readonly Till[], name: string): Till {
  const till = tills.find(({ provider }) => provider.name === name)
  if (!till) throw new PaymentProviderDown(`the payment provider ${name} is not set up`)
  return till
}

/**
 * The payment providers of an installation as one. Ids begin with the name of their provider and a colon, except those of PayPal,
 * so each agreement, order and sale asks its own provider. See docs/decisions/0069-several-tills.md.
 */
export type Tills = ReturnType<typeof createTills>

/** @param providers the first that takes a currency is used where the buyer chooses none */
export function createTills(providers: readonly PaymentProvider[]) {
  const tills = providers.map((provider): Till => {
    const { name } = provider
    return { provider, prefix: WITHOUT_PREFIX.includes(name) ? '' : `${name}:` }
  })

  return {
    /** The names of the providers with the currencies of their packs, in order of preference. */
    offers: providers.map(({ name, currencies }) => ({ name, currencies })),

    /** Returns whether the provider of an agreement, order or sale is set up. What the others know stays as it is. */
    reaches: (id: string): boolean => find(tills, id) !== undefined,

    ...agreementCalls(tills),
    ...orderCalls(tills),
    ...reversalCalls(tills),

    /** The addresses of webhooks below `/webhooks/`, with the check of each and its answer. */
    webhooks: tills.map((till) => ({
      address: addressOf(till.provider.name),
      acknowledgement: till.provider.acknowledgement,
      async verify(headers: Readonly<Record<string, string | undefined>>, body: Buffer) {
        const webhook = await till.provider.verifyWebhook(headers, body)
        return webhook && webhookOf(till, webhook)
      },
    })),
  }
}

const agreementCalls = (tills: readonly Till[]) => ({
  async createAgreement(name: string, agreement: NewAgreement) {
    const till = named(tills, name)
    const { agreementId, approvalUrl } = await till.provider.createAgreement(returning(till, agreement))
    return { agreementId: till.prefix + agreementId, approvalUrl }
  },

  async getAgreement(agreementId: string): Promise<ProviderAgreement | undefined> {
    const till = find(tills, agreementId)
    const agreement = await till?.provider.getAgreement(till.own)
    return till && agreement && { ...agreement, id: till.prefix + agreement.id }
  },

  async listSales(agreementId: string, from: string, to: string): Promise<ListedSale[]> {
    const till = find(tills, agreementId)
    const sales = (await till?.provider.listSales(till.own, from, to)) ?? []
    return sales.map((sale) => ({ ...sale, id: till?.prefix + sale.id, agreementId }))
  },

  async paymentMethodUrl(agreementId: string, returnUrl: string): Promise<string | undefined> {
    const till = find(tills, agreementId)
    return till?.provider.paymentMethodUrl?.(till.own, returnUrl)
  },

  async pauseAgreement(agreementId: string, reason: string): Promise<void> {
    const till = reached(tills, agreementId)
    await till.provider.pauseAgreement(till.own, reason)
  },

  async resumeAgreement(agreementId: string, reason: string): Promise<void> {
    const till = reached(tills, agreementId)
    await till.provider.resumeAgreement(till.own, reason)
  },

  async cancelAgreement(agreementId: string, reason: string): Promise<void> {
    const till = reached(tills, agreementId)
    await till.provider.cancelAgreement(till.own, reason)
  },
})

const orderCalls = (tills: readonly Till[]) => ({
  async createOrder(name: string, order: NewOrder) {
    const till = named(tills, name)
    const { orderId, paymentUrl } = await till.provider.createOrder(returning(till, order))
    return { orderId: till.prefix + orderId, paymentUrl }
  },

  async collectOrder(
    orderId: string,
    beforeTaking?: (userId: string) => Promise<void>,
  ): Promise<ProviderOrder | undefined> {
    const till = find(tills, orderId)
    const order = await till?.provider.collectOrder(till.own, beforeTaking)
    return till && order?.sale ? { ...order, sale: { ...order.sale, id: till.prefix + order.sale.id } } : order
  },

  async closeOrder(orderId: string): Promise<void> {
    const till = find(tills, orderId)
    await till?.provider.closeOrder(till.own)
  },
})

const reversalCalls = (tills: readonly Till[]) => ({
  /** Also returns the names of the providers that refuse the list, and why others could not be asked. */
  async listReversals(from: string, to: string) {
    const reversals: ProviderReversal[] = []
    const refusedBy: string[] = []
    const failures: unknown[] = []
    for (const till of tills)
      try {
        const listed = await till.provider.listReversals(from, to)
        if (listed) reversals.push(...listed.map((each) => prefixed(till, each)))
        else refusedBy.push(till.provider.name)
      } catch (error) {
        failures.push(error)
      }
    return { reversals, refusedBy, failures }
  },

  async getReversal({ saleId, reversalId, reversal }: ReversalHint): Promise<ProviderReversal | undefined> {
    const till = find(tills, saleId)
    if (!till) return undefined
    const own = { saleId: till.own, reversalId: reversalId.slice(till.prefix.length), reversal }
    const found = await till.provider.getReversal(own)
    return found && prefixed(till, found)
  },

  async getDispute(disputeId: string): Promise<ProviderDispute | undefined> {
    const till = find(tills, disputeId)
    const dispute = await till?.provider.getDispute(till.own)
    return till && dispute && { ...dispute, saleIds: dispute.saleIds.map((id) => till.prefix + id) }
  },

  async getFraudWarning(warningId: string): Promise<{ saleId: string } | undefined> {
    const till = find(tills, warningId)
    const warning = await till?.provider.getFraudWarning?.(till.own)
    return till && warning && { saleId: till.prefix + warning.saleId }
  },

  async refund(refund: NewRefund): Promise<ProviderReversal | undefined> {
    const till = reached(tills, refund.saleId)
    const made = await till.provider.refund({ ...refund, saleId: till.own })
    return made && prefixed(till, made)
  },
})

/** Lets the page to which the buyer returns know the provider, whose ids it adds. */
function returning<T extends { returnUrl: string }>({ provider, prefix }: Till, request: T): T {
  if (!prefix) return request
  const returnUrl = new URL(request.returnUrl)
  returnUrl.searchParams.set('provider', provider.name)
  return { ...request, returnUrl: returnUrl.href }
}

const prefixed = <T extends ReversalHint>({ prefix }: Till, reversal: T): T => ({
  ...reversal,
  saleId: prefix + reversal.saleId,
  reversalId: prefix + reversal.reversalId,
})

const webhookOf = (till: Till, { id, type, objectId, subject, transmissionId }: SignedWebhook): SignedWebhook => ({
  type,
  id: till.prefix + id,
  objectId: till.prefix + objectId,
  transmissionId: till.prefix + transmissionId,
  subject: subjectOf(till, subject),
})

function subjectOf(till: Till, subject: WebhookSubject): WebhookSubject {
  const { prefix } = till
  switch (subject.kind) {
    case 'agreement':
    case 'payment_failed':
      return { ...subject, agreementId: prefix + subject.agreementId }
    case 'order':
      return { ...subject, orderId: prefix + subject.orderId }
    case 'sale': {
      const { id, agreementId } = subject.sale
      return { kind: 'sale', sale: { id: prefix + id, agreementId: prefix + agreementId } }
    }
    case 'reversal':
      return prefixed(till, subject)
    case 'dispute':
      return { ...subject, disputeId: prefix + subject.disputeId }
    case 'fraud_warning':
      return { ...subject, warningId: prefix + subject.warningId }
    case 'other':
      return subject
  }
}
