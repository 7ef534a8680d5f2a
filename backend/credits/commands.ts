import type { CreditAccountEvent, KeyLimits } from './events.ts'

export type Common = { readonly userId: string; readonly at: string }

/** Data of each command, in addition to the user and the time. */
interface Commands {
  GrantLot: CreditAccountEvent<'CreditLotGranted'>['data']
  /**
   * `openLimit`: maximum number of open holds for the tier, including this one. `key`: the API key that orders. `spentBy`: the
   * member of the team who orders.
   */
  HoldCredits: { holdId: string; amount: number; openLimit: number; key?: KeyLimits; spentBy?: string }
  /** Changes nothing if the account knows this revision of the team or a later one. */
  SetSpenders: Omit<CreditAccountEvent<'SpendersSet'>['data'], 'userId' | 'at'>
  CaptureHold: { holdId: string }
  /** `renewalExpiresAt`: expiry of credits whose lot is closed or has expired. `byOwner`: the owner cancelled the task. */
  ReleaseHold: { holdId: string; reason: string; byOwner: boolean; renewalExpiresAt: string }
  /** Forfeits the remaining credits of lots whose subscription has ended. */
  ForfeitLots: { lotIds: readonly string[] }
  ExpireLots: object
  /** Closes a lot whose sale is to be refunded, if none of its credits were used. */
  VoidLot: { lotId: string }
  /**
   * `amount`: number of credits to claim back; by default, all that can be claimed. `stillClaimed`: number of credits that all
   * reversals of its sale claim, with this one; by default, what was claimed of the lot and `amount`.
   */
  ReverseLot: { reversalId: string; lotId: string; amount?: number; stillClaimed?: number; reason: string }
  /**
   * Gives back up to `amount` credits that were claimed back for a lot. `stillClaimed`: number of credits that the other
   * reversals of its sale go on claiming.
   */
  RestoreLot: { restorationId: string; lotId: string; amount: number; stillClaimed: number }
  WithdrawCredits: { adjustmentId: string; amount: number; reason: string; signature?: string; action?: string }
}

export type CreditAccountCommand<T extends keyof Commands = keyof Commands> = {
  [K in T]: Readonly<{ type: K } & Common & Commands[K]>
}[T]
