import { readTeamsOf } from '#projections/teams/readTeams.ts'
import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import type { Handle, Step } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { must } from '../kernel/must.ts'
import { asOwned, type Owned } from '../kernel/ownership.ts'
import type { Changes } from '../kernel/postgres/changes.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Calendar } from '../kernel/time.ts'
import type { TeamCommand } from './commands.ts'
import type { ClosingReason } from './events.ts'
import { type TeamState, team } from './team.decider.ts'

export interface TeamDeps {
  readonly handle: Handle
  readonly database: Database
  readonly changes: Pick<Changes, 'waitFor'>
  readonly calendar: Calendar
  /** Returns the id of a user's team. */
  readonly teamIdOf: (ownerId: string) => string
  /** Returns the seats of a user's plan, the user's own among them; 0 if the plan has no team. */
  readonly seatsOf: (userId: string) => Promise<number>
  /** Returns whether a user's plan, which may be suspended, has a team. */
  readonly hasPlan: (userId: string) => Promise<boolean>
  /** Returns whether an account was deleted. */
  readonly isErased: (userId: string) => Promise<boolean>
  readonly isSuspended: (userId: string) => Promise<boolean>
  readonly setSpenders: (
    ownerId: string,
    team: { teamId: string; revision: number; spenders: { id: string; perMonth: number | null }[] },
  ) => Step<unknown>
}

/** A team that is open, and its id. */
export type OpenTeam = TeamState & { readonly id: string; readonly ownerId: string }

/** Data of a command, without what the service adds. */
type Data<T extends TeamCommand['type']> = Omit<TeamCommand<T>, 'type' | 'teamId' | 'at'>

const notInTeam = () => new Rejection('not_in_team', 'You are not in this team, or it was closed.')

const noTeam = () => new Rejection('not_found', 'There is no such team.')
const ownersOnly = () => new Rejection('forbidden', "Only the team's owner can do this.")

const isOpen = (state: OpenTeam | (TeamState & { id: string })): state is OpenTeam =>
  state.isOpen && state.ownerId !== undefined

/** Returns whether a user owns a team or is a member. */
export const isIn = ({ ownerId, members }: OpenTeam, userId: string): boolean =>
  ownerId === userId || members.some(({ id }) => id === userId)

export type Teams = ReturnType<typeof createTeams>

/** Creates the service that changes teams, and says who pays for what their members order. See docs/decisions/0082-teams.md. */
export function createTeams(deps: TeamDeps) {
  const reads = createReads(deps)
  return { ...reads, ...createInvitations(deps), ...createMembers(deps, reads.find), ...createEnds(deps, reads.find) }
}

const atOf = (calendar: Calendar) => new Date(calendar()).toISOString()

type Find = ReturnType<typeof createReads>['find']

function createReads({ handle, database, seatsOf, isErased, isSuspended, teamIdOf }: TeamDeps) {
  const find = async (teamId: string): Promise<OpenTeam | undefined> => {
    if (!isUuid(teamId)) return undefined
    const id = teamId.toLowerCase()
    const state = { ...(await handle.read(team, id)).state, id }
    return isOpen(state) ? state : undefined
  }

  return {
    find,
    idOf: teamIdOf,

    /** Returns a team that a user owns or is in. @throws Rejection not_in_team */
    async readIn(userId: string, teamId: string): Promise<OpenTeam> {
      const found = await find(teamId)
      if (!found || !isIn(found, userId)) throw notInTeam()
      return found
    },

    /** Returns a user's own team. @throws Rejection not_found, forbidden */
    async readOwn(userId: string, teamId: string): Promise<Owned<OpenTeam>> {
      const found = await find(teamId)
      if (!found || !isIn(found, userId)) throw noTeam()
      if (found.ownerId !== userId) throw ownersOnly()
      return asOwned(found)
    },

    /** Returns the open teams that a user owns or is in, the own one first. */
    async list(userId: string): Promise<OpenTeam[]> {
      const found = await Promise.all((await readTeamsOf(database, userId)).map(find))
      return found.filter((each) => each !== undefined).filter((each) => isIn(each, userId))
    },

    /** Returns who pays for what a user orders with a team. @throws Rejection not_in_team */
    async payerIn(teamId: string, userId: string): Promise<string> {
      const found = await find(teamId)
      if (!found || !isIn(found, userId)) throw notInTeam()
      if ((await seatsOf(found.ownerId)) === 0)
        throw new Rejection('not_in_team', "The plan of the team's owner is paused, so the team cannot pay.")
      if (await isSuspended(found.ownerId))
        throw new Rejection('not_in_team', "The account of the team's owner is suspended, so the team cannot pay.")
      if (await isErased(userId)) throw new Rejection('unauthenticated', 'This account was deleted.')
      return found.ownerId
    },

    /** Returns the team that a user's films are shown to. @throws Rejection not_in_team */
    async teamOf(userId: string): Promise<string> {
      const [first] = await readTeamsOf(database, userId)
      if (!first) throw notInTeam()
      return first
    },
  }
}

function createInvitations({ handle, changes, calendar, seatsOf, teamIdOf }: TeamDeps) {
  const seatsAtLeastOne = async (ownerId: string): Promise<number> => {
    const seats = await seatsOf(ownerId)
    if (seats === 0) throw new Rejection('plan_required', 'Teams need the Ultimate plan.')
    return seats
  }

  return {
    /** Makes a user's team. @throws Rejection plan_required, team_exists */
    async create(ownerId: string, context: CommandContext): Promise<void> {
      await seatsAtLeastOne(ownerId)
      const teamId = teamIdOf(ownerId)
      const command = { type: 'CreateTeam', teamId, ownerId, at: atOf(calendar) } as const
      await changes.waitFor(['teamRosters'], (await handle(team, teamId, command, context)).position)
    },

    /** Records an invitation. @throws Rejection seats_full, plan_required */
    async invite(
      { id: teamId, ownerId }: Owned<OpenTeam>,
      invitation: Omit<Data<'InviteMember'>, 'seats'>,
      context: CommandContext,
    ): Promise<void> {
      const asked = { ...invitation, seats: await seatsAtLeastOne(ownerId), at: atOf(calendar) }
      await handle(team, teamId, { type: 'InviteMember', teamId, ...asked }, context)
    },

    async withdraw({ id: teamId }: Owned<OpenTeam>, invitationId: string, context: CommandContext): Promise<void> {
      const command = { type: 'WithdrawInvitation', teamId, invitationId, at: atOf(calendar) } as const
      await handle(team, teamId, command, context)
    },
  }
}

/** Returns the command that tells the account of a team's owner who may spend. */
const tell = ({ setSpenders }: TeamDeps, teamId: string, { ownerId, members, revision }: TeamState) =>
  setSpenders(must(ownerId, 'owner'), {
    ...{ teamId, revision },
    spenders: members.map(({ id, perMonth }) => ({ id, perMonth })),
  })

/**
 * Changes the members of a team and, in the same commit where the store can, who may spend. If the process dies in between, the
 * log's trigger goes on.
 */
async function change(deps: TeamDeps, command: TeamCommand, context: CommandContext): Promise<void> {
  const { teamId } = command
  const changed = await deps.handle
    .step(team, teamId, command, context)
    .sendWith((state) => (state.ownerId === undefined ? [] : ([tell(deps, teamId, state)] as const)))
  if (changed.state.ownerId !== undefined && !changed.followed[0]) await tell(deps, teamId, changed.state).send()
  await deps.changes.waitFor(['teamRosters'], changed.position)
}

function createMembers(deps: TeamDeps, find: Find) {
  const at = () => atOf(deps.calendar)

  return {
    /** Makes a user a member. @throws Rejection already_member, token_invalid, not_in_team */
    join: (teamId: string, joining: Data<'JoinTeam'>, context: CommandContext): Promise<void> =>
      change(deps, { type: 'JoinTeam', teamId, ...joining, at: at() }, context),

    /** @throws Rejection not_found */
    setLimit: ({ id: teamId }: Owned<OpenTeam>, limit: Data<'SetMemberLimit'>, context: CommandContext) =>
      change(deps, { type: 'SetMemberLimit', teamId, ...limit, at: at() }, context),

    /** Removes a member, whom the owner removes or who leaves. @throws Rejection not_found, forbidden */
    async removeAs(userId: string, teamId: string, memberId: string, context: CommandContext): Promise<void> {
      const found = await find(teamId)
      if (!found || !isIn(found, userId)) throw noTeam()
      if (userId !== found.ownerId && userId !== memberId) throw ownersOnly()
      if (!found.members.some(({ id }) => id === memberId))
        throw new Rejection('not_found', 'This person is not a member of the team.')
      const reason = userId === memberId ? 'left' : 'removed'
      await change(deps, { type: 'RemoveMember', teamId: found.id, userId: memberId, reason, at: at() }, context)
    },

    /** Tells the account of a team's owner who may spend, which it may know. */
    async retell(teamId: string): Promise<void> {
      const { state } = await deps.handle.read(team, teamId)
      if (state.ownerId !== undefined) await tell(deps, teamId, state).send()
    },
  }
}

function createEnds(deps: TeamDeps, find: Find) {
  const at = () => atOf(deps.calendar)
  const close = (teamId: string, reason: ClosingReason, context: CommandContext) =>
    change(deps, { type: 'CloseTeam', teamId, reason, at: at() }, context)

  return {
    close: ({ id }: Owned<OpenTeam>, context: CommandContext): Promise<void> => close(id, 'closed', context),

    /** Closes a user's team if the plan has none any more. */
    async closeWithoutPlan(ownerId: string, context: CommandContext): Promise<void> {
      const own = await find(deps.teamIdOf(ownerId))
      if (own && !(await deps.hasPlan(ownerId))) await close(own.id, 'plan ended', context)
    },

    /** Withdraws the invitations to a user's team, and removes the members who joined after a time: an intruder let them in. */
    async endAfter(ownerId: string, after: Date): Promise<void> {
      const own = await find(deps.teamIdOf(ownerId))
      if (!own) return
      const fact = () => ({ teamId: own.id, at: at() })
      const context = () => ({ commandId: uuid7(), actor: `user:${ownerId}`, correlationId: uuid7() })
      for (const { id: invitationId } of own.invitations)
        await change(deps, { type: 'WithdrawInvitation', ...fact(), invitationId }, context())
      for (const { id: userId } of own.members.filter(({ joinedAt }) => new Date(joinedAt) > after))
        await change(deps, { type: 'RemoveMember', ...fact(), userId, reason: 'removed' }, context())
    },

    /** Closes the team of a deleted account, and takes the account out of those of others. */
    async erase(userId: string, context: (subject: string) => CommandContext): Promise<void> {
      const own = deps.teamIdOf(userId)
      await close(own, 'account erased', context(own))
      const others = (await readTeamsOf(deps.database, userId)).filter((id) => id !== own)
      for (const teamId of others)
        await change(
          deps,
          { type: 'RemoveMember', teamId, userId, reason: 'account erased', at: at() },
          context(teamId),
        )
    },
  }
}
