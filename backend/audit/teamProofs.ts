import type { CreditAccountEvent, Spender } from '../credits/events.ts'
import type { Stored } from '../kernel/eventsourcing/eventStore.port.ts'
import { canonicalJson, derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { TEAM, type TeamEvent } from '../teams/events.ts'
import { type Deviations, type Place, placeOf } from './deviation.ts'

interface Team {
  ownerId?: string
  isOpen: boolean
  readonly members: Map<string, number | null>
  /** Limits of the invitations that were neither accepted nor withdrawn. */
  readonly invitations: Map<string, number | null>
  /** The members after each event, as text. */
  readonly history: string[]
  /** The last change of the members, until the owner's account knows it. */
  unknown?: Place & { readonly at: string; readonly revision: number }
  /** Last revision that the account knows. */
  known: number
}

const textOf = (spenders: readonly Spender[]): string =>
  canonicalJson(spenders.toSorted((a, b) => (a.id < b.id ? -1 : 1)))

/**
 * Checks that an account lets spend whom its owner's team has as members, within the limits that the owner has set, and that
 * every change of a team reaches the account. The books check each hold by what the account knew then.
 */
export class TeamProofs {
  readonly #teams = new Map<string, Team>()
  readonly #deviations: Deviations

  constructor(deviations: Deviations) {
    this.#deviations = deviations
  }

  take(event: Stored<TeamEvent>): void {
    const { teamId } = event.data
    const team = this.#team(teamId)
    const wrong = event.stream === `${TEAM}-${teamId}` ? faultOf(team, event) : `It names another team: ${teamId}.`
    if (wrong) this.#deviations.add('team', event, wrong)
    const before = team.history.at(-1) ?? textOf([])
    evolve(team, event)
    team.history.push(textOf([...team.members].map(([id, perMonth]) => ({ id, perMonth }))))
    if (team.history.at(-1) !== before)
      team.unknown = { ...placeOf(event), revision: team.history.length - 1, at: event.data.at }
  }

  takeCredit(event: Stored<CreditAccountEvent<'SpendersSet'>>): void {
    const { teamId, userId, revision, spenders } = event.data
    const team = this.#team(teamId)
    const wrong = (text: string) => this.#deviations.add('team', event, text)
    if (team.ownerId !== userId) wrong(`The user owns no team ${teamId}.`)
    if (team.history[revision] !== textOf(spenders))
      wrong(`It lets others spend, or others amounts, than the team at its revision ${revision}.`)
    if (revision <= team.known) wrong(`The account knew the revision ${team.known} of the team before.`)
    team.known = revision
    if (team.unknown && team.unknown.revision <= revision) delete team.unknown
  }

  /** Reports changes before an instant that their account does not know. */
  end(before: number): void {
    for (const { unknown } of this.#teams.values())
      if (unknown && Date.parse(unknown.at) < before)
        this.#deviations.add(
          'team',
          unknown,
          "The account of the team's owner does not know this change of the members.",
        )
  }

  #team(teamId: string): Team {
    const known = this.#teams.get(teamId)
    if (known) return known
    const team: Team = { isOpen: false, members: new Map(), invitations: new Map(), history: [], known: -1 }
    this.#teams.set(teamId, team)
    return team
  }
}

/** Returns what is wrong with an event of a team; undefined if nothing is. */
function faultOf(team: Team, { type, data, meta }: Stored<TeamEvent>): string | undefined {
  const byOwner = meta.actor === `user:${team.ownerId}`
  if (type === 'TeamCreated') {
    if (team.isOpen) return 'The team was created before.'
    return data.teamId === derivedId('team', data.ownerId) ? undefined : `It is not the team of ${data.ownerId}.`
  }
  if (!team.isOpen) return 'There is no such team, or it was closed.'
  switch (type) {
    case 'MemberInvited':
      return byOwner ? undefined : 'Another than the owner invited a member.'
    case 'MemberJoined':
      if (team.members.has(data.userId) || data.userId === team.ownerId) return 'This user was in the team before.'
      if (team.invitations.get(data.invitationId) !== data.perMonth) return 'There was no such invitation.'
      return meta.actor === `user:${data.userId}` ? undefined : 'Another than the member accepted.'
    case 'MemberLimitSet':
      if (!team.members.has(data.userId)) return 'This user is not in the team.'
      return byOwner ? undefined : 'Another than the owner set the limit.'
    case 'MemberRemoved':
      return team.members.has(data.userId) ? undefined : 'This user is not in the team.'
    default:
      return undefined
  }
}

function evolve(team: Team, { type, data }: TeamEvent): void {
  switch (type) {
    case 'TeamCreated':
      team.ownerId = data.ownerId
      team.isOpen = true
      break
    case 'MemberInvited':
      team.invitations.set(data.invitationId, data.perMonth)
      break
    case 'InvitationWithdrawn':
      team.invitations.delete(data.invitationId)
      break
    case 'MemberJoined':
      team.invitations.delete(data.invitationId)
      team.members.set(data.userId, data.perMonth)
      break
    case 'MemberLimitSet':
      team.members.set(data.userId, data.perMonth)
      break
    case 'MemberRemoved':
      team.members.delete(data.userId)
      break
    case 'TeamClosed':
      team.isOpen = false
      team.members.clear()
      team.invitations.clear()
  }
}
