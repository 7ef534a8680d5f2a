import { type Decider, Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { TeamCommand } from './commands.ts'
import { TEAM, TEAM_EVENTS, type TeamEvent } from './events.ts'

export type Member = Readonly<{ id: string; perMonth: number | null; joinedAt: string }>
type Invitation = Readonly<{ id: string; perMonth: number | null; expiresAt: string }>

export interface TeamState {
  /** Undefined before the team was created. */
  readonly ownerId?: string
  readonly createdAt?: string
  readonly isOpen: boolean
  readonly members: readonly Member[]
  /** Invitations that were neither accepted nor withdrawn; some may have expired. */
  readonly invitations: readonly Invitation[]
  /** Revision of the last event. */
  readonly revision: number
}

const without = <T extends { readonly id: string }>(list: readonly T[], id: string) =>
  list.filter((each) => each.id !== id)

function evolve(before: TeamState, event: TeamEvent): TeamState {
  const team = { ...before, revision: before.revision + 1 }
  switch (event.type) {
    case 'TeamCreated':
      return { ...team, ownerId: event.data.ownerId, createdAt: event.data.at, isOpen: true }
    case 'MemberInvited': {
      const { invitationId: id, perMonth, expiresAt } = event.data
      return { ...team, invitations: [...team.invitations, { id, perMonth, expiresAt }] }
    }
    case 'InvitationWithdrawn':
      return { ...team, invitations: without(team.invitations, event.data.invitationId) }
    case 'MemberJoined': {
      const { userId: id, invitationId, perMonth, at: joinedAt } = event.data
      const invitations = without(team.invitations, invitationId)
      return { ...team, invitations, members: [...team.members, { id, perMonth, joinedAt }] }
    }
    case 'MemberLimitSet': {
      const { userId, perMonth } = event.data
      return { ...team, members: team.members.map((each) => (each.id === userId ? { ...each, perMonth } : each)) }
    }
    case 'MemberRemoved':
      return { ...team, members: without(team.members, event.data.userId) }
    case 'TeamClosed':
      return { ...team, isOpen: false, members: [], invitations: [] }
  }
}

/** Returns the seats that the owner, the members and the open invitations take. */
export const seatsUsed = ({ members, invitations }: TeamState, at: string): number =>
  1 + members.length + invitations.filter(({ expiresAt }) => expiresAt > at).length

const notInTeam = () => new Rejection('not_in_team', 'You are not in this team, or it was closed.')

function decide(command: TeamCommand, team: TeamState): readonly TeamEvent[] {
  const { teamId, at } = command
  const fact = { teamId, at }
  if (command.type === 'CreateTeam') {
    if (team.isOpen) throw new Rejection('team_exists', 'You have a team already.')
    return [{ type: 'TeamCreated', data: { ...fact, ownerId: command.ownerId } }]
  }
  if (!team.isOpen) {
    if (command.type === 'CloseTeam' || command.type === 'RemoveMember') return []
    throw notInTeam()
  }
  switch (command.type) {
    case 'InviteMember':
      return invite(command, team)
    case 'WithdrawInvitation': {
      const { invitationId } = command
      const isOpen = team.invitations.some(({ id }) => id === invitationId)
      return isOpen ? [{ type: 'InvitationWithdrawn', data: { ...fact, invitationId } }] : []
    }
    case 'JoinTeam':
      return join(command, team)
    case 'SetMemberLimit': {
      const { userId, perMonth } = command
      const member = memberOf(team, userId)
      if (!member) throw new Rejection('not_found', 'This person is not in the team.')
      return member.perMonth === perMonth ? [] : [{ type: 'MemberLimitSet', data: { ...fact, userId, perMonth } }]
    }
    case 'RemoveMember': {
      const { userId, reason } = command
      return memberOf(team, userId) ? [{ type: 'MemberRemoved', data: { ...fact, userId, reason } }] : []
    }
    case 'CloseTeam':
      return [{ type: 'TeamClosed', data: { ...fact, reason: command.reason } }]
  }
}

const memberOf = ({ members }: TeamState, userId: string) => members.find(({ id }) => id === userId)

function invite(command: TeamCommand<'InviteMember'>, team: TeamState): readonly TeamEvent[] {
  const { teamId, invitationId, perMonth, expiresAt, seats, replaces, at } = command
  const replaced = team.invitations.filter(({ id }) => replaces.includes(id))
  const left = { ...team, invitations: team.invitations.filter((each) => !replaced.includes(each)) }
  if (seatsUsed(left, at) >= seats)
    throw new Rejection('seats_full', `All ${seats} seats of the team are taken.`, { seats })
  return [
    ...replaced.map(({ id }) => ({ type: 'InvitationWithdrawn', data: { teamId, invitationId: id, at } }) as const),
    { type: 'MemberInvited', data: { teamId, invitationId, perMonth, expiresAt, at } },
  ]
}

function join({ teamId, userId, invitationId, at }: TeamCommand<'JoinTeam'>, team: TeamState): readonly TeamEvent[] {
  if (userId === team.ownerId || memberOf(team, userId))
    throw new Rejection('already_member', 'You are in this team already.')
  const invitation = team.invitations.find(({ id }) => id === invitationId)
  if (!invitation || invitation.expiresAt <= at)
    throw new Rejection('token_invalid', 'The invitation has expired or was withdrawn.')
  return [{ type: 'MemberJoined', data: { teamId, userId, invitationId, perMonth: invitation.perMonth, at } }]
}

/** Decides who is in a team, and what each may spend. See docs/decisions/0082-teams.md. */
export const team: Decider<TeamState, TeamCommand, TeamEvent> = {
  category: TEAM,
  schemas: TEAM_EVENTS,
  initial: { isOpen: false, members: [], invitations: [], revision: -1 },
  evolve,
  decide,
  hashChained: true,
}
