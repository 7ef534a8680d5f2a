import type { Decided } from '../desk/events.ts'
import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { BOOTSTRAP, OPERATOR_ROLL, type OperatorRollEvent, ROLL } from '../operators/events.ts'
import type { Deviations } from './deviation.ts'
import { isSignedByPasskey } from './passkeySignature.ts'

interface Operator {
  readonly name: string
  role: 'viewer' | 'support' | 'owner'
  hasJoined: boolean
}

interface Key {
  readonly operatorId: string
  readonly publicKey: string
  readonly addedAt: string
  removedAt?: string
}

/** Time by which an event may be stored after one that another process decided later, ms. */
const RACE_MS = 60_000

/** Returns whether something is later than what the log has of an earlier time. A time that is much earlier was changed. */
const isAfter = (at: string, earlier: string) => at >= earlier || Date.parse(at) < Date.parse(earlier) - RACE_MS

/** An order or a decision of an operator. */
type Decision = Decided & { readonly at: string }

/**
 * Checks that the operator who ordered or approved an action was one, with a role that allows it, and signed it if the log has a
 * passkey of theirs. The log proves since when: the first passkey of an operator is an event, and what was ordered before carries
 * no signature. What another process decides at the same moment may be stored after a change, so times count within a minute.
 * See docs/decisions/0088-signed-actions.md.
 */
export class OperatorProofs {
  /** Invited operators, by id. */
  readonly #operators = new Map<string, Operator>()
  /** By credential id. */
  readonly #keys = new Map<string, Key>()
  /** When operators were removed, and when they became viewers, by id; by name for those of the environment. */
  readonly #removed = new Map<string, string>()
  readonly #viewers = new Map<string, string>()
  readonly #deviations: Deviations
  #signed = 0
  #unsigned = 0

  constructor(deviations: Deviations) {
    this.#deviations = deviations
  }

  take(event: Stored<OperatorRollEvent>): void {
    const wrong = this.#faultOf(event)
    if (wrong) this.#deviations.add('operator', event, wrong)
    const { type, data } = event
    const { operatorId, at } = data
    const operator = this.#operators.get(operatorId)
    if (type === 'OperatorInvited')
      this.#operators.set(operatorId, { name: data.name, role: data.role, hasJoined: false })
    if (type === 'OperatorJoined' && operator) operator.hasJoined = true
    if (type === 'OperatorRoleChanged' && operator) operator.role = data.role
    if (type === 'OperatorRemoved') this.#removed.set(operatorId === BOOTSTRAP ? data.name : operatorId, at)
    if (type === 'OperatorInvited' || type === 'OperatorRoleChanged') {
      this.#viewers.delete(operatorId)
      if (data.role === 'viewer') this.#viewers.set(operatorId, at)
    }
    if (type === 'OperatorKeyAdded')
      this.#keys.set(data.credentialId, { operatorId, publicKey: data.publicKey, addedAt: at })
    const ended = type === 'OperatorKeyRemoved' ? this.#keys.get(data.credentialId) : undefined
    if (ended) ended.removedAt = at
  }

  #faultOf({ stream, type, data, meta }: Stored<OperatorRollEvent>): string | undefined {
    if (stream !== `${OPERATOR_ROLL}-${ROLL}`) return 'It is in another stream than the roll of operators.'
    if (!('by' in data)) {
      const known = this.#keys.get('credentialId' in data ? data.credentialId : '')
      const isTaken = type === 'OperatorKeyAdded' && known && known.operatorId !== data.operatorId
      return isTaken ? 'Another operator has this passkey.' : undefined
    }
    const name = String(meta.actor).replace(/^operator:/, '')
    const by = this.#operator(data.by, name)
    const isOwner = by?.name === name && by.role === 'owner' && by.hasJoined
    return isOwner && this.#removalOf(data.by, name) === undefined
      ? undefined
      : `It was ordered by "${meta.actor}", who was no owner.`
  }

  /** Returns an operator. One of the environment, whose name may change, is an owner. */
  #operator(id: string, name: string): Operator | undefined {
    return id === BOOTSTRAP ? { name, role: 'owner', hasJoined: true } : this.#operators.get(id)
  }

  #removalOf = (id: string, name: string) => this.#removed.get(id === BOOTSTRAP ? name : id)

  /** Returns what is wrong with who decided something that has the `text`; undefined if nothing is. */
  faultOf(decision: Decision, text: string): string | undefined {
    const { operator: name, operatorId = BOOTSTRAP, at } = decision
    const operator = this.#operator(operatorId, name)
    if (operator?.name !== name) return `The log has no operator ${name} with the id ${operatorId}.`
    const removedAt = this.#removalOf(operatorId, name)
    if (removedAt !== undefined && isAfter(at, removedAt))
      return `The operator ${name} was removed before, at ${removedAt}.`
    if (!operator.hasJoined) return `The operator ${name} had not joined.`
    const viewerSince = this.#viewers.get(operatorId)
    if (viewerSince !== undefined && isAfter(at, viewerSince))
      return `The operator ${name} was a viewer since ${viewerSince}.`
    return this.#signatureFault(decision, operatorId, text)
  }

  #signatureFault({ operator: name, signature, at }: Decision, operatorId: string, text: string): string | undefined {
    const isEnded = ({ removedAt }: Key) => removedAt !== undefined && isAfter(at, removedAt)
    if (!signature) {
      const own = [...this.#keys.values()].filter((key) => key.operatorId === operatorId)
      const key = own.find((each) => isAfter(at, each.addedAt) && !isEnded(each))
      if (key) return `No passkey signed it, although the operator ${name} has one since ${key.addedAt}.`
      this.#unsigned += 1
      return undefined
    }
    const key = this.#keys.get(signature.credentialId)
    if (key?.operatorId !== operatorId) return `It is signed with a passkey that is not one of the operator ${name}.`
    if (isEnded(key)) return `It is signed with a passkey that was removed before, at ${key.removedAt}.`
    if (!isSignedByPasskey(key.publicKey, text, signature)) return `Its signature is not one of what it says.`
    this.#signed += 1
    return undefined
  }

  report() {
    return {
      /** Orders and decisions whose signature was verified. */
      signed: this.#signed,
      /** Orders and decisions of operators without a passkey, and of the time before. */
      unsigned: this.#unsigned,
    }
  }
}
