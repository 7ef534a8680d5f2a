import { defineEntity, p } from '@mikro-orm/core'
import {
  CREDIT_ACCOUNT,
  type CreditsCaptured,
  type CreditsHeld,
  type CreditsReleased,
} from '#backend/credits/events.ts'
import type { Projection } from '../engine/projection.ts'

/** Credits set aside for a task: what the sweep looks through for holds whose task never came to be. */
export interface OpenHoldRow {
  id: string
  user_id: string
  held_at: string
}

export const OpenHoldTable = defineEntity({
  name: 'OpenHoldRow',
  tableName: 'open_hold',
  properties: { id: p.uuid().primary(), user_id: p.uuid(), held_at: p.datetime() },
})

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
