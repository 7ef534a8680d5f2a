import { readSpentByOwner } from '#projections/credits/readCreditEntries.ts'
import { readCredits } from '#projections/credits/readCredits.ts'
import { instant } from '../kernel/http/instant.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Calendar } from '../kernel/time.ts'
import type { Team, TeamInvitation, TeamMember } from './contract.ts'
import { seatsUsed } from './team.decider.ts'
import type { InvitationRow, TeamRows } from './teamRows.ts'
import type { OpenTeam, TeamDeps } from './teams.ts'

export interface ViewDeps extends Pick<TeamDeps, 'seatsOf'> {
  readonly database: Database
  readonly calendar: Calendar
  readonly rows: Pick<TeamRows, 'read' | 'invitations'>
  readonly person: (userId: string) => Promise<{ fullName: string; email: string; createdAt: Date } | null>
  /** Returns what a member has held and spent of the owner's credits. */
  readonly spentBy: (ownerId: string, memberId: string) => Promise<{ ofMonth: number }>
}

export const invitationView = ({ team_id: _, ...row }: InvitationRow): TeamInvitation => ({
  ...row,
  created_at: instant(row.created_at),
  expires_at: instant(row.expires_at),
})

/** Returns a team as one of its people sees it. A member learns the names of the others. */
export async function teamView(deps: ViewDeps, userId: string, team: OpenTeam): Promise<Team> {
  const { database, rows, person } = deps
  const { id, ownerId } = team
  const now = new Date(deps.calendar())
  const at = now.toISOString()
  const isOwner = ownerId === userId
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString()
  const [row, owner, { remaining }, ownersUse, seats] = await Promise.all([
    rows.read(id),
    person(ownerId),
    readCredits(database, ownerId, at),
    readSpentByOwner(database, ownerId, month),
    deps.seatsOf(ownerId),
  ])
  const ownerName = owner?.fullName ?? ''
  // The row of one that ended with a former team waits for its time.
  const isOpen = (row: InvitationRow) => team.invitations.some((invitation) => invitation.id === row.id)
  const shown = async (member: OpenTeam['members'][number]): Promise<TeamMember> => {
    const isShown = isOwner || member.id === userId
    const about = await person(member.id)
    return {
      ...{ id: member.id, name: about?.fullName ?? '', email: isShown ? (about?.email ?? null) : null, role: 'member' },
      joined_at: member.joinedAt,
      used: isShown ? (await deps.spentBy(ownerId, member.id)).ofMonth : null,
      limit: isShown ? member.perMonth : null,
    }
  }
  const members = await Promise.all(team.members.map(shown))
  const own = members.find((member) => member.id === userId)
  const asOwner: TeamMember = {
    ...{ id: ownerId, name: ownerName, email: isOwner ? (owner?.email ?? null) : null, role: 'owner' },
    ...{ joined_at: team.createdAt ?? at, used: isOwner ? ownersUse : null, limit: null },
  }
  return {
    ...{ id, name: row?.name ?? '', role: isOwner ? 'owner' : 'member', owner: { id: ownerId, name: ownerName } },
    created_at: team.createdAt ?? at,
    seats,
    seats_used: seatsUsed(team, at),
    credits_remaining: remaining,
    used: (isOwner ? ownersUse : own?.used) ?? 0,
    limit: own?.limit ?? null,
    members: [asOwner, ...members],
    invitations: isOwner ? (await rows.invitations(id, now)).filter(isOpen).map(invitationView) : [],
  }
}
