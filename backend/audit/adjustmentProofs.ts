import type { CreditAccountEvent } from '../credits/events.ts'
import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { isSignedWith, type OperatorKeys } from './operatorKeys.ts'

type Adjustment = Stored<CreditAccountEvent<'CreditLotGranted' | 'CreditsWithdrawn'>>

/** Prefix of the ids of lots that adjustments grant. */
const LOT = 'adjustment-'

/** Checks that a registered operator signed each adjustment, since the first one that carries a signature. */
export class AdjustmentProofs {
  readonly #operators: OperatorKeys | undefined
  #verified = 0
  #unverified = 0
  #unsigned = 0
  #lastUnsignedAt: string | null = null
  #firstSignedAt: string | null = null

  constructor(operators: OperatorKeys | undefined) {
    this.#operators = operators
  }

  /** Demands a signature of adjustments from an instant on: since then, others name the action that ordered them. */
  demandSince(at: string): void {
    this.#firstSignedAt ??= at
  }

  /** Returns what is wrong with an adjustment; undefined if nothing is. */
  faultOf(event: Adjustment): string | undefined {
    const { reason, signature, at } = event.data
    const actor = String(event.meta.actor)
    if (!/^operator:./.test(actor)) return `An adjustment by "${actor}", who is not an operator.`
    if (!reason) return 'An adjustment without a reason.'
    if (signature === undefined) {
      if (this.#firstSignedAt !== null)
        return `No operator signed it, although adjustments are signed since ${this.#firstSignedAt}.`
      this.#unsigned += 1
      this.#lastUnsignedAt = at
      return undefined
    }
    this.#firstSignedAt ??= at
    if (!this.#operators) {
      this.#unverified += 1
      return undefined
    }
    const name = actor.slice('operator:'.length)
    const keys = (Object.hasOwn(this.#operators, name) && this.#operators[name]) || []
    if (keys.length === 0) return `The operator ${name}, who signed it, is not registered.`
    if (!isSignedWith(keys, contentOf(event, reason), signature))
      return `Its signature is not one of the operator ${name}.`
    this.#verified += 1
    return undefined
  }

  report() {
    return {
      /** Adjustments whose signature was verified. */
      verified: this.#verified,
      /** Adjustments whose signature was not verified, because no public keys were given. */
      unverified: this.#unverified,
      /** Adjustments of earlier versions, which carry no signature. */
      unsigned: this.#unsigned,
      lastUnsignedAt: this.#lastUnsignedAt,
      firstSignedAt: this.#firstSignedAt,
    }
  }
}

function contentOf(event: Adjustment, reason: string) {
  const { userId, at } = event.data
  const content = { userId, reason, at, actor: String(event.meta.actor) }
  if (event.type === 'CreditLotGranted') {
    const { lotId, amount } = event.data
    // Any other lot would let a signature be used twice.
    const adjustmentId = lotId.startsWith(LOT) ? lotId.slice(LOT.length) : ''
    return { ...content, adjustmentId, amount }
  }
  const { adjustmentId, parts } = event.data
  return { ...content, adjustmentId, amount: -parts.reduce((sum, { amount }) => sum + amount, 0) }
}
