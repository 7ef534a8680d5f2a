import type { CodeEvent } from '../codes/events.ts'
import { allowanceLot, monthEnd, monthOf, RETURNED_MS } from '../credits/contract.ts'
import { CREDIT_ACCOUNT, type CreditAccountEvent, type LotSource } from '../credits/events.ts'
import type { DeskActionEvent } from '../desk/events.ts'
import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import type { OperatorRollEvent } from '../operators/events.ts'
import type { SubscriptionEvent } from '../subscriptions/events.ts'
import { PLANS } from '../subscriptions/plans.contract.ts'
import type { VideoTaskEvent } from '../tasks/events.ts'
import { AdjustmentProofs } from './adjustmentProofs.ts'
import { CodeProofs } from './codeProofs.ts'
import { DeskProofs } from './deskProofs.ts'
import { type Deviations, missingPlace, type Place, placeOf } from './deviation.ts'
import type { OperatorKeys } from './operatorKeys.ts'
import { OperatorProofs } from './operatorProofs.ts'

interface Sale extends Place {
  readonly userId: string
  readonly credits: number
  /** Source of the lot that it pays for. */
  readonly source: LotSource
  readonly at: number
  granted: boolean
}

type EventOf<E, Type> = Extract<E, { type: Type }>

interface Reversal extends Place {
  readonly userId: string
  readonly saleId: string
  readonly credits: number
  readonly at: number
  claimed: boolean
}

/** Returns what is wrong with a monthly allowance; undefined if nothing is. The account book refuses a second one. */
function unprovenAllowance({ data, meta }: Stored<EventOf<CreditAccountEvent, 'CreditLotGranted'>>) {
  const { at, lotId, expiresAt } = data
  if (meta.actor !== 'system') return `An allowance by "${meta.actor}", not by the system.`
  if (lotId !== allowanceLot(at)) return `The allowance of ${monthOf(at)} has the lot ${lotId}.`
  return expiresAt === monthEnd(at) ? undefined : `It expires at ${expiresAt}, not when its month ends.`
}

const DAY_MS = 24 * 3_600_000

/** Returns what is wrong with the expiry of new credits; undefined if nothing is. */
function unprovenExpiry(event: Stored<CreditAccountEvent>): string | undefined {
  if (event.type === 'CreditLotGranted') {
    const { source, expiresAt } = event.data
    return expiresAt === null || source === 'allowance'
      ? undefined
      : `It expires at ${expiresAt}, but such credits never do.`
  }
  if (event.type !== 'CreditsReleased' || !event.data.renewed) return undefined
  const { renewed, at } = event.data
  const deviationMs = Math.abs(Date.parse(renewed.expiresAt) - Date.parse(at) - RETURNED_MS)
  return deviationMs < DAY_MS ? undefined : `It returns credits until ${renewed.expiresAt}, not for 30 days.`
}

/** Time limit for settling a sale or reversal, ms. It usually takes seconds, but longer while workflows are down. */
const SETTLE_MS = DAY_MS

/** Prefix of the ids of lots that sales pay for. */
const LOT = 'sale-'

const LOST_GRANT =
  'The database has this account, with its free credits, but the log does not: events were removed, or the log is older.'

/**
 * Checks that every grant, reversal and forfeiture has a cause: a completed sale, a redeemed code, an operator, a month, the account's
 * single welcome grant, or the end of a subscription. Checks too that every sale is granted and every reversal claimed.
 */
export class GrantProofs {
  readonly #sales = new Map<string, Sale>()
  /** Orders of packs that were not paid yet, by id. */
  readonly #orders = new Map<string, EventOf<SubscriptionEvent, 'PackRequested'>['data']>()
  /** Reversals that the provider reported, by id. */
  readonly #reversals = new Map<string, Reversal>()
  readonly #restorations = new Map<string, EventOf<SubscriptionEvent, 'SubscriptionSaleRestored'>['data']>()
  /** Users by their sales that are to be refunded, so that their credits are taken before. */
  readonly #voidable = new Map<string, string>()
  /** Where the last agreement of a user ended, by user. */
  readonly #ends = new Map<string, Place>()
  readonly #welcomed = new Set<string>()
  readonly #adjustments: AdjustmentProofs
  readonly #codes: CodeProofs
  readonly #desk: DeskProofs
  readonly #operators: OperatorProofs
  readonly #deviations: Deviations

  constructor(deviations: Deviations, operators?: OperatorKeys) {
    this.#operators = new OperatorProofs(deviations)
    this.#desk = new DeskProofs(deviations, this.#operators)
    this.#deviations = deviations
    this.#adjustments = new AdjustmentProofs(operators)
    this.#codes = new CodeProofs(deviations)
  }

  /** Describes the signatures of adjustments. */
  get adjustments() {
    return this.#adjustments.report()
  }

  /** Counts the grants, takes and refunds of operators' actions. */
  get desk() {
    return this.#desk.report()
  }

  takeRoll(event: Stored<OperatorRollEvent>): void {
    this.#operators.take(event)
  }

  takeDesk(event: Stored<DeskActionEvent>): void {
    this.#desk.take(event)
    if (event.type === 'ActionAsked') this.#adjustments.demandSince(event.data.at)
  }

  takeTask({ type, data }: Stored<VideoTaskEvent>): void {
    if (type === 'VideoTaskSubmitted') this.#desk.takeVideo(data.userId, data.taskId)
  }

  takeCode(event: Stored<CodeEvent>): void {
    this.#codes.take(event)
  }

  takeSubscription(event: Stored<SubscriptionEvent>): void {
    if (event.type === 'SubscriptionPaid') this.#takeSale(event, event.data.afterEnd ? 'payment' : 'subscription')
    if (event.type === 'PackRequested') this.#orders.set(event.data.agreementId, event.data)
    if (event.type === 'PackPaid') {
      this.#takeSale(event, 'pack')
      const wrong = this.#unprovenPack(event.data)
      if (wrong) this.#deviations.add('grant', event, wrong)
    }
    if (event.type === 'SubscriptionSaleReversed') {
      const { userId, reversalId, saleId, credits, at } = event.data
      const reversal = { userId, saleId, credits, at: Date.parse(at), claimed: false }
      this.#reversals.set(reversalId, { ...placeOf(event), ...reversal })
      this.#desk.takeReversal(event)
    }
    if (event.type === 'SubscriptionSaleRestored') this.#restorations.set(event.data.restorationId, event.data)
    if (event.type === 'SubscriptionRefundProposed' && event.data.automatic)
      this.#voidable.set(event.data.saleId, event.data.userId)
    if (event.type === 'SubscriptionEnded') this.#ends.set(event.data.userId, placeOf(event))
  }

  #takeSale(event: Stored<SubscriptionEvent<'SubscriptionPaid' | 'PackPaid'>>, source: LotSource): void {
    const { userId, saleId, credits, at } = event.data
    if (this.#sales.has(saleId)) this.#deviations.add('grant', event, `The sale ${saleId} was recorded before.`)
    else this.#sales.set(saleId, { ...placeOf(event), userId, credits, source, at: Date.parse(at), granted: false })
  }

  /** Returns what is wrong with the sale of a pack; undefined if its order asked for these credits and this amount. */
  #unprovenPack({ userId, agreementId, ...paid }: EventOf<SubscriptionEvent, 'PackPaid'>['data']): string | undefined {
    const order = this.#orders.get(agreementId)
    if (order?.userId !== userId) return `No order ${agreementId} of this user asked for it.`
    this.#orders.delete(agreementId)
    const [asked, sold] = [order, paid].map(({ pack, amountCents, currency, credits }) =>
      [pack, amountCents / 100, currency, `for ${credits} credits`].join(' '),
    )
    return asked === sold ? undefined : `The order was ${asked}; it was sold as ${sold}.`
  }

  takeCredit(event: Stored<CreditAccountEvent>): void {
    if (event.type === 'CreditsReleased') this.#desk.takeVideo(event.data.userId, event.data.holdId)
    const wrong = this.#unproven(event) ?? unprovenExpiry(event)
    if (wrong) this.#deviations.add('grant', event, wrong)
  }

  /**
   * Reports sales and welcome grants without credits, and reversals without claims. Returns sales whose credits are
   * pending but not overdue.
   */
  end(now: number, welcomed: readonly string[] = []): Place[] {
    for (const userId of welcomed)
      if (!this.#welcomed.has(userId))
        this.#deviations.add('grant', missingPlace({ stream: `${CREDIT_ACCOUNT}-${userId}` }), LOST_GRANT)
    const waiting: Place[] = []
    for (const [saleId, { granted, at, credits, ...sale }] of this.#sales) {
      if (granted) continue
      if (now - at > SETTLE_MS)
        this.#deviations.add('grant', sale, `The sale ${saleId} was paid, but its ${credits} credits were not granted.`)
      else waiting.push(placeOf(sale))
    }
    for (const [id, { claimed, at, credits, ...place }] of this.#reversals) {
      const wrong = `The reversal ${id} was reported, but its ${credits} credits were not claimed.`
      if (!claimed && credits > 0 && now - at > SETTLE_MS) this.#deviations.add('grant', place, wrong)
    }
    this.#codes.end(now - SETTLE_MS)
    this.#desk.end()
    return waiting
  }

  #unproven(event: Stored<CreditAccountEvent>): string | undefined {
    if (event.type === 'CreditLotGranted') return this.#unprovenGrant(event)
    if (event.type === 'CreditsWithdrawn') return this.#unorderedCorrection(event)
    if (event.type === 'CreditsRestored') return this.#unprovenRestoration(event)
    if (event.type === 'CreditLotClosed') return this.#unprovenForfeiture(event)
    if (event.type !== 'CreditsReversed') return undefined
    const { userId, reversalId, lotId, parts, debt } = event.data
    const reversal = this.#reversals.get(reversalId)
    if (reversal?.userId !== userId || lotId !== `${LOT}${reversal.saleId}`)
      return `No reversal ${reversalId} of this lot's sale was reported.`
    reversal.claimed = true
    const claimed = parts.reduce((sum, { amount }) => sum + amount, debt)
    return claimed > reversal.credits ? `It claims ${claimed} credits; ${reversal.credits} went back.` : undefined
  }

  /** Returns what is wrong with a correction that is to be signed, or ordered by an action; undefined if nothing is. */
  #unorderedCorrection(event: Stored<CreditAccountEvent<'CreditLotGranted' | 'CreditsWithdrawn'>>): string | undefined {
    const { action } = event.data
    return action === undefined ? this.#adjustments.faultOf(event) : this.#desk.faultOf(event, action)
  }

  #unprovenRestoration({ data }: EventOf<CreditAccountEvent, 'CreditsRestored'>): string | undefined {
    const { userId, restorationId, lotId, amount } = data
    const restoration = this.#restorations.get(restorationId)
    if (restoration?.userId !== userId || lotId !== `${LOT}${restoration.saleId}`)
      return `No dispute won ${restorationId} about this lot's sale was reported.`
    return amount > restoration.credits ? `It gives back ${amount} credits of ${restoration.credits}.` : undefined
  }

  #unprovenForfeiture({ data }: EventOf<CreditAccountEvent, 'CreditLotClosed'>): string | undefined {
    const { userId, lotId, reason } = data
    if (reason === 'expired') return undefined
    const saleId = lotId.startsWith(LOT) ? lotId.slice(LOT.length) : ''
    if (reason === 'refund')
      return this.#voidable.get(saleId) === userId ? undefined : `No refund of this lot's sale was proposed.`
    const sale = this.#sales.get(saleId)
    if (sale?.userId !== userId || sale.source !== 'subscription')
      return `The lot ${lotId} is not of a subscription of this user.`
    const hasEnded = (this.#ends.get(userId)?.revision ?? -1) > sale.revision!
    return hasEnded
      ? undefined
      : `It forfeits the lot ${lotId}, but no subscription of this user has ended since the sale.`
  }

  #unprovenGrant(event: Stored<EventOf<CreditAccountEvent, 'CreditLotGranted'>>): string | undefined {
    const { userId, lotId, source, amount, reference } = event.data
    switch (source) {
      case 'free':
        if (this.#welcomed.has(userId)) return 'The free credits were granted before.'
        this.#welcomed.add(userId)
        return amount === PLANS.free.credits
          ? undefined
          : `It grants ${amount} free credits; the plan brings ${PLANS.free.credits}.`
      case 'allowance':
        return unprovenAllowance(event)
      case 'adjustment':
        return this.#unorderedCorrection(event)
      case 'code':
        return this.#codes.faultOf(event.data)
      case 'subscription':
      case 'pack':
      case 'payment': {
        const sale = reference === undefined ? undefined : this.#sales.get(reference)
        if (sale?.userId !== userId || lotId !== `${LOT}${reference}`)
          return `No sale ${reference ?? ''} of this user backs it.`
        if (sale.granted) return `The sale ${reference} was granted before.`
        sale.granted = true
        if (sale.credits !== amount) return `It grants ${amount} credits; the sale brings ${sale.credits}.`
        if (sale.source !== source) return `The sale ${reference} brings no credits of this kind.`
        return undefined
      }
      default:
        return `"${source}" is not a source of credits.`
    }
  }
}
