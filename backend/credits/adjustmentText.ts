import { canonicalJson } from '../kernel/eventsourcing/pure/eventHash.ts'

/** An operator's change of a user's credits. */
interface SignedAdjustment {
  readonly userId: string
  readonly adjustmentId: string
  /** Whole credits; negative if they are withdrawn. */
  readonly amount: number
  readonly reason: string
  /** ISO 8601. */
  readonly at: string
  /** Actor of the event: `operator:<name>`. */
  readonly actor: string
}

/** Returns the text that an operator's signature of an adjustment covers. */
export const adjustmentText = ({ userId, adjustmentId, amount, reason, at, actor }: SignedAdjustment): string =>
  canonicalJson({ format: 'kinora-adjustment-1', userId, adjustmentId, amount, reason, at, actor })

/** Returns the id of the lot that an adjustment grants. */
export const adjustmentLot = (adjustmentId: string): string => `adjustment-${adjustmentId}`
