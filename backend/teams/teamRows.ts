import { createHash, randomBytes } from 'node:crypto'
import { isUuid, uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { query } from '../kernel/postgres/query.ts'

/** An invitation, whose address is not in the log. */
export interface InvitationRow {
  readonly id: string
  readonly team_id: string
  readonly email: string
  readonly credits_per_month: number | null
  readonly created_at: string
  readonly expires_at: string
}

export type NewInvitation = Pick<InvitationRow, 'id' | 'email' | 'credits_per_month'> & {
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly hash: string
}

const COLUMNS = 'id, team_id, email, credits_per_month, created_at, expires_at'

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export type TeamRows = ReturnType<typeof createTeamRows>

/** Creates the store of what is personal about teams: their names, and the addresses of invitations. */
export function createTeamRows(database: Database) {
  return {
    /** Names a user's team. */
    async name(id: string, ownerId: string, name: string): Promise<void> {
      const sql = 'insert into team (id, owner_id, name) values ($1, $2, $3) on conflict (id) do update set name = $4'
      await query(database, sql, [id, ownerId, name, name])
    },

    /** Returns the name and the owner of a team; undefined if the owner was erased. */
    async read(id: string): Promise<{ name: string; ownerId: string } | undefined> {
      const sql = 'select name, owner_id as "ownerId" from team where id = $1'
      return (await query<{ name: string; ownerId: string }>(database, sql, [id]))[0]
    },

    /** Returns the ids of all teams, also of those that were closed, unless the owner was erased. */
    ids: async () => (await query<{ id: string }>(database, 'select id from team', [])).map(({ id }) => id),

    /** Returns an invitation that is not stored yet, with the token that accepts it. */
    make(email: string, credits_per_month: number | null, createdAt: Date, expiresAt: Date) {
      const token = randomBytes(32).toString('base64url')
      return { token, invitation: { id: uuid7(), email, credits_per_month, createdAt, expiresAt, hash: hashOf(token) } }
    },

    /** Stores an invitation in place of those with the same address. */
    async put(
      teamId: string,
      { id, hash, email, credits_per_month, createdAt, expiresAt }: NewInvitation,
    ): Promise<void> {
      await query(
        database,
        `with replaced as (delete from team_invitation where team_id = $1 and email = $2)
         insert into team_invitation (id, team_id, hash, email, credits_per_month, created_at, expires_at)
         values ($3, $4, $5, $6, $7, $8, $9)`,
        [teamId, email, id, teamId, hash, email, credits_per_month, createdAt, expiresAt],
      )
    },

    /** Returns the invitations of a team that have not expired, oldest first. */
    invitations: (teamId: string, now: Date) =>
      query<InvitationRow>(
        database,
        `select ${COLUMNS} from team_invitation where team_id = $1 and expires_at > $2 order by id`,
        [teamId, now],
      ),

    /** Returns the invitation of a token; undefined if there is none, or it has expired. */
    async find(token: string, now: Date): Promise<InvitationRow | undefined> {
      const sql = `select ${COLUMNS} from team_invitation where hash = $1 and expires_at > $2`
      return (await query<InvitationRow>(database, sql, [hashOf(token), now]))[0]
    },

    /** Removes an invitation of a team. */
    async remove(teamId: string, id: string): Promise<void> {
      const sql = 'delete from team_invitation where team_id = $1 and id = $2'
      await query(database, sql, [teamId, isUuid(id) ? id : null])
    },

    /** Removes invitations that expired, and those of a team that was closed. */
    async removeExpired(now: Date): Promise<void> {
      await query(database, 'delete from team_invitation where expires_at < $1', [now])
    },

    async removeAll(teamId: string): Promise<void> {
      await query(database, 'delete from team_invitation where team_id = $1', [teamId])
    },
  }
}
