import { createCases } from '#backend/cases/cases.ts'
import { code } from '#backend/codes/code.decider.ts'
import type { CodeEvent } from '#backend/codes/events.ts'
import type { CreditAccountCommand } from '#backend/credits/commands.ts'
import { creditAccount } from '#backend/credits/creditAccount.decider.ts'
import { type Credits, createCredits } from '#backend/credits/credits.ts'
import type { CreditAccountEvent } from '#backend/credits/events.ts'
import type { CreditAccount } from '#backend/credits/lots.rules.ts'
import type { GlobalPosition, Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { assertSound, type Decider, type Event, Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { currentOf, type Subscription } from '#backend/subscriptions/agreements.rules.ts'
import type { PaidTier, SubscriptionEvent } from '#backend/subscriptions/events.ts'
import { creditsOf, type PackCurrency, type PackId, priceOf } from '#backend/subscriptions/packs.contract.ts'
import { packSales } from '#backend/subscriptions/packs.rules.ts'
import { PaymentProviderDown, type WebhookSubject } from '#backend/subscriptions/paymentProvider.port.ts'
import { PLANS, TIERS } from '#backend/subscriptions/plans.contract.ts'
import { subscription } from '#backend/subscriptions/subscription.decider.ts'
import type { Tills } from '#backend/subscriptions/tills.ts'
import { applyWebhook } from '#workflows/subscriptions/applyWebhook.ts'
import { remind } from '#workflows/subscriptions/remind.ts'
import { settleSubscription } from '#workflows/subscriptions/settleSubscription.ts'
import {
  createSubscriptionActivities,
  type SubscriptionActivityDeps,
} from '#workflows/subscriptions/subscriptionActivities.ts'
import { PaymentModel } from './paymentModel.ts'

/** Simulates a crash of the process. Completed appends persist. */
class Crash extends Error {}

/** Faulty replacements of deciders, by category. */
export type Faulty = Readonly<Record<string, { decide(command: never, state: never): readonly Event[] }>>

/** The providers of the world. PayPal's ids have no prefix. */
export const TILLS = ['paypal', 'stripe', 'alipay'] as const
export type TillName = (typeof TILLS)[number]
const PAGES = {
  requestId: '',
  language: 'en',
  returnUrl: 'https://kinora.test/',
  cancelUrl: 'https://kinora.test/',
} as const

const DAY_MS = 24 * 3_600_000
const userId = 'user'

/** Returns whether a sale has an invoice, by which its buyer is found. */
export const isKnown = (subscription: Subscription, saleId: string) =>
  [...subscription.sales, ...packSales(subscription)].some(({ id }) => id === saleId) ||
  subscription.proposedRefunds.some((refund) => refund.saleId === saleId)

/**
 * Simulates one user's payments, from the provider to the ledger, with the real deciders and activities and in-memory
 * streams. `crashes` decides before and after each append whether the process crashes.
 */
export class MoneyWorld {
  now = Date.UTC(2026, 0, 31, 12)
  readonly streams = new Map<string, Event[]>()
  /** The events of all streams in order. Their hashes and causes are left out. */
  readonly log: Stored[] = []
  readonly inbox: WebhookSubject[] = []
  readonly provider = new PaymentModel(() => this.now)
  readonly #tills = this.provider.tills(...TILLS)
  readonly agreements: string[] = []
  /** Codes of the open operator alerts. */
  readonly alerts = new Set<string>()
  /** Keys of the mails about refunds that Kinora made. */
  readonly mails = new Set<string>()
  readonly #states = new Map<string, unknown>()
  readonly #deps: SubscriptionActivityDeps
  readonly #credits: Credits
  readonly #faulty: Faulty
  /** While several processes work at the same time: returns how many turns one of them waits before its next step. */
  #wait: (() => number) | undefined
  crashes: () => boolean

  constructor(crashes: () => boolean = () => false, faulty: Faulty = {}) {
    this.crashes = crashes
    this.#faulty = faulty
    const read = async (decider: { category: string; initial: unknown }, id: string) => ({
      state: this.#states.get(`${decider.category}-${id}`) ?? decider.initial,
      position: undefined,
    })
    const handle = Object.assign(this.#handle, { read, peek: read }) as unknown as Handle
    const findBuyer = async (saleId: string) => (isKnown(this.subscription, saleId) ? userId : undefined)
    const credits = createCredits(handle, () => this.now)
    this.#credits = credits
    const findOrigin = async () => undefined
    const alerts = {
      raise: async (code: string) => void this.alerts.add(code),
      clear: async (code: string) => void this.alerts.delete(code),
    }
    const calendar = () => this.now
    const openAgreements = async () => [
      { userId, agreementIds: this.subscription.agreements.filter(({ closed }) => !closed).map(({ id }) => id) },
    ]
    const usersWithExpiredLots = async () => [userId]
    const ordersWithoutFee = async () => []
    const reads = { findOrigin, calendar, findBuyer, openAgreements, usersWithExpiredLots, ordersWithoutFee }
    this.#deps = {
      handle,
      credits,
      alerts,
      cases: createCases({ handle, calendar, changes: { waitFor: async () => {} } }),
      payments: this.#slow(this.#tills),
      ...reads,
    } as unknown as SubscriptionActivityDeps
  }

  get subscription(): Subscription {
    return (this.#states.get(`subscription-${userId}`) ?? subscription.initial) as Subscription
  }

  get account(): CreditAccount {
    return (this.#states.get(`creditAccount-${userId}`) ?? creditAccount.initial) as CreditAccount
  }

  get at() {
    return new Date(this.now).toISOString()
  }

  ledger(): CreditAccountEvent[] {
    return (this.streams.get(`creditAccount-${userId}`) ?? []) as CreditAccountEvent[]
  }

  history(): SubscriptionEvent[] {
    return (this.streams.get(`subscription-${userId}`) ?? []) as SubscriptionEvent[]
  }

  readonly #handle = async <S, C, E extends Event>(decider: Decider<S, C, E>, id: string, command: C) => {
    await this.#turns()
    const stream = `${decider.category}-${id}`
    const known = (this.#states.get(stream) ?? decider.initial) as S
    const { decide } = (this.#faulty[decider.category] ?? decider) as typeof decider
    const events = decide(command, known)
    const state = events.reduce(decider.evolve, known)
    assertSound(decider, { command, before: known, events, after: state })
    if (events.length > 0 && this.crashes()) throw new Crash()
    this.#states.set(stream, state)
    const before = this.streams.get(stream) ?? []
    for (const [index, event] of events.entries()) {
      const id = `${this.log.length}`
      const place = { stream, revision: before.length + index, position: id as GlobalPosition, id }
      this.log.push({ ...event, ...place, created: new Date(this.now), meta: { actor: 'system' } })
    }
    this.streams.set(stream, [...before, ...events])
    if (events.length > 0 && this.crashes()) throw new Crash()
    return { state, position: undefined }
  }

  async #turns(): Promise<void> {
    for (let left = this.#wait?.() ?? 0; left > 0; left--) await undefined
  }

  /** Makes the calls of a provider take as long as other steps. */
  #slow(tills: Tills): Tills {
    return new Proxy(tills, {
      get: (target, name: keyof Tills) => {
        const value = target[name]
        if (typeof value !== 'function' || name === 'reaches') return value
        return async (...args: unknown[]) => {
          await this.#turns()
          return (value as (...all: unknown[]) => unknown).apply(target, args)
        }
      },
    })
  }

  /** Lets two processes work at the same time. `wait` returns how many turns each waits before its next step. */
  async together(work: readonly (() => Promise<unknown>)[], wait: () => number): Promise<void> {
    this.#wait = wait
    await Promise.all(work.map((each) => each()))
    this.#wait = undefined
  }

  /** Runs a step and returns whether it succeeded. Crashes, rejections and outages do not throw. */
  async attempt(step: () => Promise<unknown>): Promise<boolean> {
    try {
      await step()
      return true
    } catch (error) {
      if (error instanceof Crash || error instanceof Rejection || error instanceof PaymentProviderDown) return false
      throw error
    }
  }

  /** Requests a plan as the API does: a smaller one starts when the current period ends. */
  async request(tier: PaidTier, till: TillName = TILLS[0]): Promise<void> {
    await this.attempt(async () => {
      await this.#handle(subscription, userId, { type: 'ApplyDueChanges', userId, at: this.at })
      const current = currentOf(this.subscription)
      const isLarger = current === undefined || TIERS.indexOf(tier) > TIERS.indexOf(current.tier)
      const isOver = current?.periodEnd && current.periodEnd <= this.at
      const startsAt = isLarger || isOver ? null : current.periodEnd
      const { agreementId } = await this.#tills.createAgreement(till, { userId, tier, startsAt, ...PAGES })
      const price = { priceCents: PLANS[tier].priceCents, currency: 'USD', startsAt }
      const request = { userId, agreementId, provider: till, tier, ...price, at: this.at }
      const command = { type: 'RequestSubscription', ...request } as const
      await this.#handle(subscription, userId, command)
      // After a crash, the buyer has no approval link and cannot approve the agreement.
      this.agreements.push(agreementId)
    })
  }

  /** Orders a pack as the API does. Its order is among the agreements. */
  async order(pack: PackId, till: TillName = TILLS[0], currency: PackCurrency = 'USD'): Promise<void> {
    await this.attempt(async () => {
      const sold = { amountCents: priceOf(pack, currency), currency, credits: creditsOf(pack) }
      const { orderId: agreementId } = await this.#tills.createOrder(till, { userId, ...sold, ...PAGES })
      const request = { userId, agreementId, provider: till, pack, ...sold, at: this.at }
      const command = { type: 'RequestPack', ...request } as const
      await this.#handle(subscription, userId, command)
      this.agreements.push(agreementId)
    })
  }

  cancel(atPeriodEnd: boolean) {
    const command = { type: 'CancelSubscription', userId, encryptedReason: null, atPeriodEnd, at: this.at } as const
    return this.attempt(() => this.#handle(subscription, userId, command))
  }

  reactivate() {
    return this.attempt(() =>
      this.#handle(subscription, userId, { type: 'ReactivateSubscription', userId, at: this.at }),
    )
  }

  /** Withdraws from the contract of a sale as the API does. */
  withdraw(nth: number) {
    return this.attempt(async () => {
      const sales = [...this.subscription.sales, ...packSales(this.subscription)]
      const { id: saleId } = sales.at(-1 - (nth % Math.max(1, sales.length))) ?? { id: '' }
      const usedCredits = await this.#credits.usedOf(userId, saleId)
      await this.#handle(subscription, userId, { type: 'WithdrawSale', userId, saleId, usedCredits, at: this.at })
    })
  }

  /** Issues a code for one use, unless it was issued, and redeems it as the API does. */
  redeem(codeId: string, amount: number) {
    return this.attempt(async () => {
      const terms = { credits: amount, uses: 1, audience: 'all', expiresAt: null, label: '' } as const
      const issue = {
        type: 'IssueCode',
        codeId,
        batchId: '',
        hint: '',
        issuedBy: 'operator',
        ...terms,
        at: this.at,
      } as const
      await this.#handle(code, codeId, issue)
      const { state } = await this.#handle(code, codeId, {
        type: 'RedeemCode',
        codeId,
        userId,
        isNew: false,
        at: this.at,
      })
      await this.#credits.grantCode(userId, codeId, state?.credits ?? 0)
    })
  }

  /** Returns the redemptions of codes, in order. */
  redemptions() {
    return this.log.flatMap(({ type, data }) =>
      type === 'CodeRedeemed' ? [data as CodeEvent<'CodeRedeemed'>['data']] : [],
    )
  }

  #spend(command: CreditAccountCommand) {
    return this.attempt(() => this.#handle(creditAccount, userId, command))
  }

  grant(lotId: string, amount: number) {
    const lot = { lotId, source: 'free', amount, expiresAt: null } as const
    return this.#spend({ type: 'GrantLot', userId, ...lot, at: this.at })
  }

  hold(holdId: string, amount: number) {
    return this.#spend({ type: 'HoldCredits', userId, holdId, amount, openLimit: 9, at: this.at })
  }

  capture(holdId: string) {
    return this.#spend({ type: 'CaptureHold', userId, holdId, at: this.at })
  }

  /** Releases a hold because the task failed, or because its owner cancelled it. */
  release(holdId: string, byOwner: boolean) {
    const renewalExpiresAt = new Date(this.now + 30 * DAY_MS).toISOString()
    const reason = byOwner ? 'cancelled' : 'not delivered'
    return this.#spend({ type: 'ReleaseHold', userId, holdId, reason, byOwner, renewalExpiresAt, at: this.at })
  }

  advance(days: number): void {
    this.now += days * DAY_MS
    this.provider.billDue()
  }

  /** Moves new webhooks from the provider to the inbox. */
  receive(): void {
    this.inbox.push(...this.provider.webhooks.splice(0))
  }

  /** Processes a webhook from the inbox. It stays there after a crash, during an outage, or if it arrived too early. */
  async read(index: number): Promise<void> {
    this.receive()
    const subject = this.inbox[index % this.inbox.length]
    if (!subject) return
    await this.attempt(async () => {
      if ((await applyWebhook(this.#deps, subject)) === 'later') return
      const place = this.inbox.indexOf(subject)
      if (place >= 0) this.inbox.splice(place, 1)
    })
  }

  /** Applies a webhook that the provider did not send. */
  hint(subject: WebhookSubject) {
    return this.attempt(() => applyWebhook(this.#deps, subject))
  }

  /** Loses a webhook, except one about a dispute: reconciliation does not ask for disputes. */
  lose(index: number): void {
    this.receive()
    const place = index % this.inbox.length
    if (this.inbox[place] && this.inbox[place].kind !== 'dispute') this.inbox.splice(place, 1)
  }

  reconcile() {
    return this.attempt(() => createSubscriptionActivities(this.#deps).reconcile({}))
  }

  settle() {
    return this.attempt(() => settleSubscription(this.#deps, userId))
  }

  /** Processes all webhooks, settles and reconciles, without crashes or outages, until no new webhooks arrive. */
  async rest(): Promise<void> {
    this.crashes = () => false
    this.provider.down = false
    // The trigger of the log grants what a process that died did not.
    for (const { codeId, credits } of this.redemptions()) await this.#credits.grantCode(userId, codeId, credits)
    for (let round = 0; round < 50; round++) {
      this.receive()
      const waiting = this.inbox.length
      for (let left = waiting; left > 0 && this.inbox.length > 0; left--) await this.read(left)
      await createSubscriptionActivities(this.#deps).reconcile({})
      // Each event wakes the lifecycle workflow, which settles again.
      for (let known = -1; known < this.history().length; ) {
        known = this.history().length
        await settleSubscription(this.#deps, userId)
      }
      if (this.provider.webhooks.length > 0 || this.inbox.length > 0) continue
      const mailOnce = async (_: string, key: string) => void this.mails.add(key)
      await remind({ ...this.#deps, mailOnce }, userId)
      return
    }
    throw new Error(`inbox not empty: ${JSON.stringify(this.inbox)}`)
  }
}
