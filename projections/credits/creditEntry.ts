import { defineEntity, p } from '@mikro-orm/core'
import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS, type CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/**
 * One entry of a user's credit statement. A `hold` becomes a `spend` when the video is delivered. `amount` is signed,
 * and its running sum in `revision` order is the balance.
 */
const CreditEntryTable = defineEntity({
  name: 'CreditEntryRow',
  tableName: 'credit_entry',
  properties: {
    id: p.uuid().primary(),
    user_id: p.uuid(),
    revision: p.integer(),
    kind: p.string().$type<'grant' | 'hold' | 'spend' | 'release' | 'expiry' | 'forfeit' | 'reversal' | 'adjustment'>(),
    amount: p.integer(),
    /** Key in the site's message catalogue, or free text from an operator. */
    reason: p.string(),
    task_id: p.uuid().nullable(),
    lot_id: p.string().nullable(),
    /** The member of the owner's team whose film it is; null if it is the owner's. */
    spent_by: p.uuid().nullable(),
    created_at: p.datetime(),
  },
})
export type CreditEntryRow = RowOf<typeof CreditEntryTable>

type Movement = Pick<CreditEntryRow, 'kind' | 'amount' | 'reason'> & {
  readonly taskId?: string
  readonly lotId?: string
  readonly spentBy?: string | undefined
}

export const sum = (parts: readonly { readonly amount: number }[]) =>
  parts.reduce((total, { amount }) => total + amount, 0)

/** Movements by event type. The other types move nothing: a capture follows a hold, a repayment a reversal with its debt. */
const MOVEMENTS: {
  readonly [T in CreditAccountEvent['type']]?: (data: CreditAccountEvent<T>['data']) => Movement | undefined
} = {
  CreditLotGranted: ({ amount, source, reason, lotId }) => {
    const kind = source === 'adjustment' ? 'adjustment' : 'grant'
    return { kind, amount, reason: reason ?? source, lotId }
  },
  CreditsHeld: ({ parts, holdId, spentBy }) => {
    return { kind: 'hold', amount: -sum(parts), reason: 'video', taskId: holdId, spentBy }
  },
  CreditsReleased: ({ parts, renewed, forfeited, holdId, reason, spentBy }) => {
    const amount = sum(parts ?? []) + (renewed?.amount ?? 0)
    if (!forfeited) return { kind: 'release', amount, reason, taskId: holdId, spentBy }
    return { kind: amount > 0 ? 'release' : 'forfeit', amount, reason: 'forfeited', taskId: holdId, spentBy }
  },
  CreditLotClosed: ({ amount, reason, lotId }) => {
    if (amount === 0) return undefined
    return { kind: reason === 'expired' ? 'expiry' : 'forfeit', amount: -amount, reason, lotId }
  },
  CreditsReversed: ({ parts, debt, reason, lotId }) => ({
    kind: 'reversal',
    amount: -sum(parts) - debt,
    reason,
    lotId,
  }),
  CreditsRestored: ({ amount, lotId }) => ({ kind: 'reversal', amount, reason: 'dispute_won', lotId }),
  CreditsWithdrawn: ({ parts, reason }) => ({ kind: 'adjustment', amount: -sum(parts), reason }),
}

/** Returns the movement that an event adds to its user's statement; undefined if it adds none. */
export const movementOf = ({ type, data }: CreditAccountEvent): Movement | undefined =>
  (MOVEMENTS[type] as ((data: object) => Movement | undefined) | undefined)?.(data)

function added(_: unknown, event: Stored<CreditAccountEvent>): CreditEntryRow | undefined {
  const movement = movementOf(event)
  if (!movement) return undefined
  const { taskId, lotId, spentBy, ...rest } = movement
  return {
    id: event.type === 'CreditsHeld' ? event.data.holdId : event.id,
    user_id: event.data.userId,
    revision: event.revision,
    ...rest,
    task_id: taskId ?? null,
    lot_id: lotId ?? null,
    spent_by: spentBy ?? null,
    created_at: event.data.at,
  }
}

export const creditEntries: Projection<CreditAccountEvent, CreditEntryRow> = {
  name: 'creditEntries',
  version: 1,
  table: CreditEntryTable,
  categories: [CREDIT_ACCOUNT],
  schemas: CREDIT_ACCOUNT_EVENTS,
  // A hold's row has the task's id, so that the capture can update it. Other rows have the id of their event.
  row: (event) => (event.type === 'CreditsHeld' || event.type === 'CreditsCaptured' ? event.data.holdId : event.id),
  on: {
    CreditLotGranted: added,
    CreditsHeld: added,
    SpendersSet: (row) => row,
    CreditsCaptured: (row) => row && { ...row, kind: 'spend' },
    CreditsReleased: added,
    CreditLotClosed: added,
    CreditsReversed: added,
    CreditsRestored: added,
    CreditDebtRepaid: (row) => row,
    CreditsWithdrawn: added,
  },
}
