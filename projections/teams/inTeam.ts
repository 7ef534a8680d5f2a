/** Returns the condition that a user, who may be the owner, is in an open team. Takes two SQL expressions of type uuid. */
export const inTeam = (team: string, user: string): string =>
  `exists (select from team_roster r where r.id = ${team}
     and (r.owner_id = ${user} or r.members @> jsonb_build_object(${user}::text, true)))`
