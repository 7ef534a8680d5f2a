import { defineEntity, p } from '@mikro-orm/core'
import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS, type CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import type { Projection, RowOf } from '../engine/projection.ts'
import { sum } from './creditEntry.ts'

/**
 * Credits issued to users or permanently deducted, without the user's id. A `held` row becomes `spent` on capture and
 * is deleted on release, unless credits were forfeited. `lapsed` covers all other deductions. Outstanding credits: sold + given - spent - lapsed.
 * They include the credits of deleted accounts, which the deletion does not deduct.
 */
const CreditFlowTable = defineEntity({
  name: 'CreditFlowRow',
  tableName: 'credit_flow',
  properties: {
    id: p.uuid().primary(),
    kind: p.string().$type<'sold' | 'given' | 'held' | 'spent' | 'lapsed'>(),
    amount: p.integer(),
    at: p.datetime(),
  },
})
type CreditFlowRow = RowOf<typeof CreditFlowTable>

const lapsed = ({ id, data }: Stored<CreditAccountEvent>, amount: number): CreditFlowRow | undefined =>
  amount === 0 ? undefined : { id, kind: 'lapsed', amount, at: data.at }

export const creditFlows: Projection<CreditAccountEvent, CreditFlowRow> = {
  name: 'creditFlows',
  version: 1,
  table: CreditFlowTable,
  categories: [CREDIT_ACCOUNT],
  schemas: CREDIT_ACCOUNT_EVENTS,
  row: (event) => ('holdId' in event.data ? event.data.holdId : event.id),
  on: {
    CreditLotGranted: (_, { id, data: { source, amount, at } }) => {
      const isSold = source === 'subscription' || source === 'payment' || source === 'pack'
      return { id, kind: isSold ? 'sold' : 'given', amount, at }
    },
    CreditsHeld: (_, { data }) => ({ id: data.holdId, kind: 'held', amount: sum(data.parts), at: data.at }),
    SpendersSet: () => undefined,
    CreditsCaptured: (row, { data }) => row && { ...row, kind: 'spent', at: data.at },
    CreditsReleased: (row, { data: { forfeited, at } }) =>
      row && forfeited && { ...row, kind: 'lapsed', amount: sum(forfeited), at },
    CreditLotClosed: (_, event) => lapsed(event, event.data.amount),
    CreditsReversed: (_, event) => lapsed(event, sum(event.data.parts)),
    CreditsRestored: (_, event) => lapsed(event, -event.data.amount),
    CreditDebtRepaid: (_, event) => lapsed(event, sum(event.data.parts)),
    CreditsWithdrawn: (_, event) => lapsed(event, sum(event.data.parts)),
  },
}
