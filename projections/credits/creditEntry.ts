import { defineEntity, p } from '@mikro-orm/core'
import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS, type CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Projection, RowOf } from '../engine/projection.ts'
import { sum } from './creditBalance.ts'

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
    created_at: p.datetime(),
  },
})
export type CreditEntryRow = RowOf<typeof CreditEntryTable>

type Movement = Pick<CreditEntryRow, 'kind' | 'amount' | 'reason'> & { taskId?: string; lotId?: string }

const entry = (
  { id, revision, data }: Stored<CreditAccountEvent>,
  { taskId, lotId, ...movement }: Movement,
): CreditEntryRow => ({
  id: taskId !== undefined && movement.kind === 'hold' ? taskId : id,
  user_id: data.userId,
  revision,
  ...movement,
  task_id: taskId ?? null,
  lot_id: lotId ?? null,
  created_at: data.at,
})

export const creditEntries: Projection<CreditAccountEvent, CreditEntryRow> = {
  name: 'creditEntries',
  version: 1,
  table: CreditEntryTable,
  categories: [CREDIT_ACCOUNT],
  schemas: CREDIT_ACCOUNT_EVENTS,
  // A hold's row has the task's id, so that the capture can update it. Other rows have the id of their event.
  row: (event) => (event.type === 'CreditsHeld' || event.type === 'CreditsCaptured' ? event.data.holdId : event.id),
  on: {
    CreditLotGranted: (_, event) => {
      const { amount, source, reason, lotId } = event.data
      const kind = source === 'adjustment' ? 'adjustment' : 'grant'
      return entry(event, { kind, amount, reason: reason ?? source, lotId })
    },
    CreditsHeld: (_, event) =>
      entry(event, { kind: 'hold', amount: -sum(event.data.parts), reason: 'video', taskId: event.data.holdId }),
    CreditsCaptured: (row) => row && { ...row, kind: 'spend' },
    CreditsReleased: (_, event) => {
      const { parts, renewed, forfeited, holdId } = event.data
      const amount = sum(parts ?? []) + (renewed?.amount ?? 0)
      if (!forfeited) return entry(event, { kind: 'release', amount, reason: event.data.reason, taskId: holdId })
      return entry(event, { kind: amount > 0 ? 'release' : 'forfeit', amount, reason: 'forfeited', taskId: holdId })
    },
    CreditLotClosed: (_, event) => {
      const { amount, reason, lotId } = event.data
      if (amount === 0) return undefined
      return entry(event, { kind: reason === 'expired' ? 'expiry' : 'forfeit', amount: -amount, reason, lotId })
    },
    CreditsReversed: (_, event) => {
      const { parts, debt, reason, lotId } = event.data
      return entry(event, { kind: 'reversal', amount: -sum(parts) - debt, reason, lotId })
    },
    CreditsRestored: (_, event) => {
      const { amount, lotId } = event.data
      return entry(event, { kind: 'reversal', amount, reason: 'dispute_won', lotId })
    },
    // The reversal already subtracted the debt from the balance.
    CreditDebtRepaid: (row) => row,
    CreditsWithdrawn: (_, event) =>
      entry(event, { kind: 'adjustment', amount: -sum(event.data.parts), reason: event.data.reason }),
  },
}
