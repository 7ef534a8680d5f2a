import { defineEntity, p } from '@mikro-orm/core'
import { TEAM, TEAM_EVENTS, type TeamEvent } from '#backend/teams/events.ts'
import type { Projection, RowOf } from '../engine/projection.ts'

/** Who is in a team that is open. */
const TeamRosterTable = defineEntity({
  name: 'TeamRosterRow',
  tableName: 'team_roster',
  properties: {
    id: p.uuid().primary(),
    owner_id: p.uuid(),
    /** Keys are ids of users. The owner is not a member. */
    members: p.json<Readonly<Record<string, true>>>(),
    created_at: p.datetime(),
  },
})
type TeamRosterRow = RowOf<typeof TeamRosterTable>

type RosterEvent = TeamEvent<'TeamCreated' | 'MemberJoined' | 'MemberRemoved' | 'TeamClosed'>

export const teamRosters: Projection<RosterEvent, TeamRosterRow> = {
  name: 'teamRosters',
  version: 1,
  table: TeamRosterTable,
  categories: [TEAM],
  schemas: TEAM_EVENTS,
  row: ({ data }) => data.teamId,
  on: {
    TeamCreated: (_, { data }) => ({ id: data.teamId, owner_id: data.ownerId, members: {}, created_at: data.at }),
    MemberJoined: (row, { data }) => row && { ...row, members: { ...row.members, [data.userId]: true } },
    MemberRemoved: (row, { data }) => {
      if (!row) return row
      const { [data.userId]: _, ...members } = row.members
      return { ...row, members }
    },
    TeamClosed: () => undefined,
  },
}
