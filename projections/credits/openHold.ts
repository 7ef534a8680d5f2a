import { defineEntity, p } from '@mikro-orm/core'
import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS, type CreditAccountEvent } from '#backend/credits/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** An open hold of credits for a task. The sweep uses it to find holds whose task was never submitted. */
const OpenHoldTable = defineEntity({
  name: 'OpenHoldRow',
  tableName: 'open_hold',
  properties: { id: p.uuid().primary(), user_id: p.uuid(), held_at: p.datetime() },
})
export type OpenHoldRow = RowOf<typeof OpenHoldTable>

type HoldEvent = CreditAccountEvent<'CreditsHeld' | 'CreditsCaptured' | 'CreditsReleased'>

export const openHolds: Projection<HoldEvent, OpenHoldRow> = {
  name: 'openHolds',
  version: 1,
  table: OpenHoldTable,
  categories: [CREDIT_ACCOUNT],
  schemas: CREDIT_ACCOUNT_EVENTS,
  row: (event) => event.data.holdId,
  on: {
    CreditsHeld: (_, { data }) => ({ id: data.holdId, user_id: data.userId, held_at: data.at }),
    CreditsCaptured: () => undefined,
    CreditsReleased: () => undefined,
  },
}
