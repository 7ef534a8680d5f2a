import { defineEntity, p } from '@mikro-orm/core'
import { CODE, CODE_EVENTS, type CodeEvent } from '#backend/codes/events.ts'
import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS, type CreditAccountEvent } from '#backend/credits/events.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A code that was redeemed and whose credits are not granted yet. */
const OpenRedemptionTable = defineEntity({
  name: 'OpenRedemptionRow',
  tableName: 'open_redemption',
  properties: { id: p.uuid().primary(), code_id: p.uuid(), user_id: p.uuid(), credits: p.integer() },
})
export type OpenRedemptionRow = RowOf<typeof OpenRedemptionTable>

const idOf = (codeId: string, userId: string) => derivedId('redemption', codeId, userId)

type RedemptionEvent = CodeEvent<'CodeRedeemed'> | CreditAccountEvent<'CreditLotGranted'>

export const openRedemptions: Projection<RedemptionEvent, OpenRedemptionRow> = {
  name: 'openRedemptions',
  version: 1,
  table: OpenRedemptionTable,
  categories: [CODE, CREDIT_ACCOUNT],
  schemas: { ...CODE_EVENTS, ...CREDIT_ACCOUNT_EVENTS },
  // Other grants have rows that do not exist.
  row: ({ type, data }) => idOf(type === 'CodeRedeemed' ? data.codeId : (data.reference ?? ''), data.userId),
  on: {
    CodeRedeemed: (_, { data }) => ({
      id: idOf(data.codeId, data.userId),
      code_id: data.codeId,
      user_id: data.userId,
      credits: data.credits,
    }),
    CreditLotGranted: () => undefined,
  },
}
