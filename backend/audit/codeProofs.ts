import { CODE, type CodeEvent } from '../codes/events.ts'
import type { CreditAccountEvent } from '../credits/events.ts'
import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { type Deviations, type Place, placeOf } from './deviation.ts'

interface Code {
  readonly terms: CodeEvent<'CodeIssued'>['data']
  used: number
  isVoid: boolean
}

interface Redemption extends Place {
  readonly credits: number
  readonly at: string
  granted: boolean
}

/** Checks that codes are redeemed as they were issued, and that each redemption grants its credits, once. */
export class CodeProofs {
  readonly #codes = new Map<string, Code>()
  /** By code and user. */
  readonly #redemptions = new Map<string, Redemption>()
  readonly #deviations: Deviations

  constructor(deviations: Deviations) {
    this.#deviations = deviations
  }

  take(event: Stored<CodeEvent>): void {
    const wrong = this.#faultOf(event)
    if (wrong) this.#deviations.add('grant', event, wrong)
  }

  #faultOf(event: Stored<CodeEvent>): string | undefined {
    const { codeId } = event.data
    if (event.stream !== `${CODE}-${codeId}`) return `It names another code: ${codeId}.`
    const code = this.#codes.get(codeId)
    if (event.type === 'CodeIssued') {
      this.#codes.set(codeId, { terms: event.data, used: 0, isVoid: false })
      return code && 'The code was issued before.'
    }
    if (!code) return 'No such code was issued.'
    if (event.type === 'CodeRedeemed') return this.#redeem(code, event)
    code.isVoid = true
    return undefined
  }

  #redeem(code: Code, event: Stored<CodeEvent<'CodeRedeemed'>>): string | undefined {
    const { codeId, userId, credits, at } = event.data
    const { terms, isVoid } = code
    const key = `${codeId} ${userId}`
    if (this.#redemptions.has(key)) return 'This user had redeemed the code before.'
    this.#redemptions.set(key, { ...placeOf(event), credits, at, granted: false })
    code.used += 1
    if (code.used > terms.uses) return `The code was issued for ${terms.uses} uses; this is number ${code.used}.`
    if (credits !== terms.credits) return `It brings ${credits} credits; the code was issued with ${terms.credits}.`
    if (isVoid) return 'The code was void.'
    return terms.expiresAt !== null && at >= terms.expiresAt ? `The code expired at ${terms.expiresAt}.` : undefined
  }

  /** Returns what is wrong with a grant of the source `code`; undefined if nothing is. */
  faultOf({ userId, lotId, amount, reference }: CreditAccountEvent<'CreditLotGranted'>['data']): string | undefined {
    const redemption = this.#redemptions.get(`${reference} ${userId}`)
    if (!redemption || lotId !== `code-${reference}-${userId}`) return `This user redeemed no code ${reference ?? ''}.`
    if (redemption.granted) return `The code ${reference} was granted before.`
    redemption.granted = true
    return amount === redemption.credits
      ? undefined
      : `It grants ${amount} credits; the code brings ${redemption.credits}.`
  }

  /** Reports redemptions before an instant that granted nothing. */
  end(before: number): void {
    for (const { granted, at, credits, ...place } of this.#redemptions.values())
      if (!granted && Date.parse(at) < before)
        this.#deviations.add('grant', place, `A code was redeemed, but its ${credits} credits were not granted.`)
  }
}
