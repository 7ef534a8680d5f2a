import { defineEntity, p } from '@mikro-orm/core'
import { CREDIT_ACCOUNT, type CreditAccountEvent } from '#backend/credits/events.ts'
import type { Projection } from '../engine/projection.ts'
import { sum } from './creditBalance.ts'

/**
 * Credits that came to users or left them for good, whoever they are. `held` may become `spent`, at the time of the capture,
 * or go; `lapsed` were forfeited, claimed back or taken away. What was sold and given less what was spent and has lapsed is
 * what users hold.
 */
export interface CreditFlowRow {
  id: string
  kind: 'sold' | 'given' | 'held' | 'spent' | 'lapsed'
  amount: number
  at: string
}

export const CreditFlowTable = defineEntity({
  name: 'CreditFlowRow',
  tableName: 'credit_flow',
  properties: {
    id: p.uuid().primary(),
    kind: p.string().$type<CreditFlowRow['kind']>(),
    amount: p.integer(),
    at: p.datetime(),
  },
})

type Placed = { readonly id: string; readonly data: { at: string } }

const lapsed = ({ id, data }: Placed, amount: number): CreditFlowRow | undefined =>
  amount === 0 ? undefined : { id, kind: 'lapsed', amount, at: data.at }

export const creditFlows: Projection<CreditAccountEvent, CreditFlowRow> = {
  name: 'creditFlows',
  version: 1,
  table: CreditFlowTable,
  categories: [CREDIT_ACCOUNT],
  row: (event) => ('holdId' in event.data ? event.data.holdId : event.id),
  on: {
    CreditLotGranted: (_, { id, data: { source, amount, at } }) => ({
      id,
      kind: source === 'subscription' || source === 'payment' ? 'sold' : 'given',
      amount,
      at,
    }),
    CreditsHeld: (_, { data }) => ({ id: data.holdId, kind: 'held', amount: sum(data.parts), at: data.at }),
    CreditsCaptured: (row, { data }) => row && { ...row, kind: 'spent', at: data.at },
    CreditsReleased: () => undefined,
    CreditLotClosed: (_, event) => lapsed(event, event.data.amount),
    CreditsReversed: (_, event) => lapsed(event, sum(event.data.parts)),
    CreditDebtRepaid: (_, event) => lapsed(event, sum(event.data.parts)),
    CreditsWithdrawn: (_, event) => lapsed(event, sum(event.data.parts)),
  },
}
