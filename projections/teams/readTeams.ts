import type { Database } from '#backend/kernel/postgres/query.ts'
import { query, queryPrepared } from '#backend/kernel/postgres/query.ts'
import { readSnapshot } from '../engine/readModel.ts'
import { openTeamChanges } from './openTeamChange.ts'
import { teamRosters } from './teamRoster.ts'

/** Returns the ids of the open teams that a user owns or is in, the own one first. */
export async function readTeamsOf(database: Database, userId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    database,
    `select id from team_roster where owner_id = $1 or members @> jsonb_build_object($1::text, true)
     order by owner_id <> $1, created_at, id`,
    [userId],
  )
  return rows.map(({ id }) => id)
}

/** Returns the open teams of users, with their members. */
export const readRosters = (database: Database, ownerIds: readonly string[]) =>
  queryPrepared<{ id: string; ownerId: string; members: string[] }>(
    database,
    `select r.id, r.owner_id as "ownerId", array(select jsonb_object_keys(r.members)) as members
     from team_roster r join jsonb_array_elements_text($1::jsonb) wanted (id) on r.owner_id = wanted.id::uuid`,
    [JSON.stringify(ownerIds)],
  )

/** Returns the teams whose last change their owners' credit accounts do not know yet. */
export const readOpenTeamChanges = (database: Database) =>
  readSnapshot<Readonly<{ teamId: string }>>(database, openTeamChanges, `json_build_object('teamId', id)`)

/** Returns the owners of the open teams. */
export const readTeamOwners = (database: Database) =>
  readSnapshot<Readonly<{ userId: string }>>(database, teamRosters, `json_build_object('userId', owner_id)`)
