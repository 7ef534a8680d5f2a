import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { callProvider } from './callProvider.ts'
import { creditsOf, type PackCurrency, type PackId, priceOf } from './packs.contract.ts'
import { lapsesAt } from './packs.rules.ts'
import { type Consent, chooseTill, createSender, type SubscriptionsDeps } from './subscriptions.ts'

type Order = Readonly<
  {
    userId: string
    pack: PackId
    currency: PackCurrency
    provider?: string | undefined
    language: 'en' | 'zh'
    requestId: string
  } & Consent
>
type Status = 'unpaid' | 'pending' | 'paid' | 'lapsed'

/** Orders of a user that may be open at the same time: every settlement asks the provider about each of them. */
const MAX_OPEN = 20

/** Maximum time that `confirm` waits for the payment to be booked. */
const CONFIRM_TIMEOUT_MS = 5_000

/** Creates the commands that sell packs of credits. Calls resolve once the read models show the outcome. */
export function createPacks(deps: SubscriptionsDeps) {
  const { changes, payments, inbox, credits, publicUrl, calendar } = deps
  const { at, read, sendCommand, sendAndWait } = createSender(deps)

  return {
    /**
     * Orders a pack for the buyer to pay.
     * @param requestId idempotency key
     * @throws Rejection too_many_approvals, no_payment_link, no_such_provider, till_paused, unavailable
     */
    async buy({ userId, pack, currency, language, requestId, consent, ...wish }: Order, context: CommandContext) {
      const provider = await chooseTill(deps, currency, wish.provider)
      const [oldest, ...open] = (await read(userId)).packs.filter(({ status }) => status === 'requested')
      if (oldest && open.length + 1 >= MAX_OPEN)
        throw new Rejection('too_many_approvals', 'You have ordered packs too often without paying them.', {
          retryAfter: Math.ceil((lapsesAt(oldest) - calendar()) / 1_000),
        })
      const base = `${publicUrl()}${language === 'zh' ? '/zh' : ''}/payment`
      const urls = { returnUrl: `${base}/success?of=pack`, cancelUrl: `${base}/cancel` }
      const sold = { credits: creditsOf(pack), amountCents: priceOf(pack, currency), currency }
      const { orderId, paymentUrl } = await callProvider(() =>
        payments.createOrder(provider, { requestId, userId, ...sold, language, ...urls }),
      )
      const request = { userId, agreementId: orderId, provider, pack, ...sold, ...(consent && { consent }) }
      await sendAndWait({ type: 'RequestPack', ...request, at: at() }, context)
      if (!paymentUrl) throw new Rejection('no_payment_link', 'No payment link received from the payment provider.')
      return { orderId, paymentUrl }
    },

    /**
     * Takes the money of an order that the buyer has approved, and books it like a webhook would, so that the buyer sees the
     * credits when returning from the payment page.
     * @throws Rejection not_found, unavailable
     */
    async confirm(userId: string, orderId: string, context: CommandContext): Promise<Status> {
      const statusOf = async () => (await read(userId)).packs.find(({ id }) => id === orderId)?.status
      const unknown = new Rejection('not_found', 'There is no such order.')
      if ((await statusOf()) === undefined) throw unknown
      const collect = async () =>
        void (await sendCommand({ type: 'CollectPack', userId, agreementId: orderId, at: at() }, context))
      const order = await callProvider(() => payments.collectOrder(orderId, collect))
      if (order && order.userId !== userId) throw unknown
      if (order?.sale) {
        const id = `confirmed-${order.sale.id}`
        await inbox.add({ id, type: 'CONFIRMED', objectId: order.sale.id, subject: { kind: 'order', orderId } })
        await inbox.processed([id], CONFIRM_TIMEOUT_MS)
        await changes.waitFor(['creditBalances'], await credits.expire(userId))
      }
      const status = await statusOf()
      if (status === 'paid' || !order?.sale) return status === 'requested' || !status ? 'unpaid' : status
      return 'pending'
    },
  }
}
