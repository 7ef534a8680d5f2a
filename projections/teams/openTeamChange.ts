import { defineEntity, p } from '@mikro-orm/core'
import { CREDIT_ACCOUNT, CREDIT_ACCOUNT_EVENTS, type CreditAccountEvent } from '#backend/credits/events.ts'
import type { Stored } from '#backend/kernel/eventsourcing/eventStore.port.ts'
import { TEAM, TEAM_EVENTS, type TeamEvent } from '#backend/teams/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** A team whose last change its owner's credit account does not know yet. */
const OpenTeamChangeTable = defineEntity({
  name: 'OpenTeamChangeRow',
  tableName: 'open_team_change',
  properties: { id: p.uuid().primary(), revision: p.integer() },
})
type OpenTeamChangeRow = RowOf<typeof OpenTeamChangeTable>

type ChangeEvent =
  | TeamEvent<'MemberJoined' | 'MemberLimitSet' | 'MemberRemoved' | 'TeamClosed'>
  | CreditAccountEvent<'SpendersSet'>

const changed = (_: unknown, { data, revision }: Stored<TeamEvent>) => ({ id: data.teamId, revision })

export const openTeamChanges: Projection<ChangeEvent, OpenTeamChangeRow> = {
  name: 'openTeamChanges',
  version: 1,
  table: OpenTeamChangeTable,
  categories: [TEAM, CREDIT_ACCOUNT],
  schemas: { ...TEAM_EVENTS, ...CREDIT_ACCOUNT_EVENTS },
  row: ({ data }) => data.teamId,
  on: {
    MemberJoined: changed,
    MemberLimitSet: changed,
    MemberRemoved: changed,
    TeamClosed: changed,
    SpendersSet: (row, { data }) => (row && row.revision > data.revision ? row : undefined),
  },
}
