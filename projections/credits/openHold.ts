import { defineEntity, p } from '@mikro-orm/core'
import {
  CREDIT_ACCOUNT,
  type CreditsCaptured,
  type CreditsHeld,
  type CreditsReleased,
} from '#backend/credits/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** Credits held for a task. The sweep looks here for holds whose task was never created. */
const OpenHoldTable = defineEntity({
  name: 'OpenHoldRow',
  tableName: 'open_hold',
  properties: { id: p.uuid().primary(), user_id: p.uuid(), held_at: p.datetime() },
})
type OpenHoldRow = RowOf<typeof OpenHoldTable>

export const openHolds: Projection<CreditsHeld | CreditsCaptured | CreditsReleased, OpenHoldRow> = {
  name: 'openHolds',
  version: 1,
  table: OpenHoldTable,
  categories: [CREDIT_ACCOUNT],
  row: (event) => event.data.holdId,
  on: {
    CreditsHeld: (_, { data }) => ({ id: data.holdId, user_id: data.userId, held_at: data.at }),
    CreditsCaptured: () => undefined,
    CreditsReleased: () => undefined,
  },
}
