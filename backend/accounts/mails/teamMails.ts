import type { Database } from '../../kernel/postgres/orm.ts'
import type { Calendar } from '../../kernel/time.ts'
import { findById } from '../accounts.ts'
import type { Outbox } from './outbox.ts'
import { createReminders, LIFETIME_MS } from './reminders.ts'

/** The end of a membership, of which a person may have had several in one team. `id`: the person. */
type Departure = Readonly<{ kind: 'teamRemoved' | 'teamClosed'; id: string; joinedAt: string; at: string }>

interface TeamMailsOptions {
  readonly database: Database
  readonly outbox: Outbox
  readonly publicUrl: () => string
  readonly calendar: Calendar
  /** Returns the name and the owner of a team; undefined if the owner was erased. */
  readonly read: (teamId: string) => Promise<{ name: string; ownerId: string } | undefined>
  readonly departures: (teamId: string) => Promise<readonly Departure[]>
}

/** Creates the sender of emails to people who are no longer in a team, once for each membership. */
export function createTeamMails({ database, outbox, publicUrl, calendar, read, departures }: TeamMailsOptions) {
  const { sendOnce } = createReminders(database, outbox, publicUrl, 'profile/teams')
  return async (teamId: string): Promise<void> => {
    const since = new Date(calendar() - LIFETIME_MS).toISOString()
    const recent = (await departures(teamId)).filter(({ at }) => at > since)
    const team = recent.length > 0 ? await read(teamId) : undefined
    const owner = team && (await findById(database)(team.ownerId))
    if (!owner) return
    const values = { team: team.name, owner: owner.fullName }
    for (const { kind, id, joinedAt } of recent) await sendOnce(id, `${kind} ${teamId} ${joinedAt}`, kind, values)
  }
}
