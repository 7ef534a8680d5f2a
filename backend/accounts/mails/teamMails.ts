import type { Database } from '../../kernel/postgres/orm.ts'
import { findById } from '../accounts.ts'
import type { Outbox } from './outbox.ts'
import { createReminders } from './reminders.ts'

type Team = Readonly<{ id: string; ownerId: string }>
/** A membership, of which a person may have had several in one team. */
type Membership = Readonly<{ id: string; joinedAt: string }>

export type TeamMails = ReturnType<typeof createTeamMails>

/**
 * Creates the sender of emails to people who are no longer in a team.
 * @param read returns the name of a team; undefined if its owner was erased
 */
export function createTeamMails(
  database: Database,
  outbox: Outbox,
  publicUrl: () => string,
  read: (teamId: string) => Promise<{ name: string } | undefined>,
) {
  const { sendOnce } = createReminders(database, outbox, publicUrl, 'profile/teams')
  const send = async (kind: 'teamRemoved' | 'teamClosed', { id, ownerId }: Team, members: readonly Membership[]) => {
    const [team, owner] = await Promise.all([read(id), findById(database)(ownerId)])
    if (!team || !owner) return
    const values = { team: team.name, owner: owner.fullName }
    for (const member of members) await sendOnce(member.id, `${kind} ${id} ${member.joinedAt}`, kind, values)
  }
  return {
    /** Tells a member whom the owner removed. */
    removed: (team: Team, member: Membership) => send('teamRemoved', team, [member]),

    /** Tells everyone who was a member of a team that was closed. */
    async closed(team: (Team & { members: readonly Membership[] }) | undefined): Promise<void> {
      if (team) await send('teamClosed', team, team.members)
    },
  }
}
