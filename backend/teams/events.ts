import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'

export type RemovalReason = 'removed' | 'left' | 'account erased'
export type ClosingReason = 'closed' | 'plan ended' | 'account erased'

/** Data of each event, in addition to the team's id and the time. `perMonth`: credits for each month (UTC); null: no limit. */
interface Data {
  /** A user has one team, whose id derives from the user's. One that was closed is created again. */
  TeamCreated: { ownerId: string }
  /** The address is outside the log. */
  MemberInvited: { invitationId: string; perMonth: number | null; expiresAt: string }
  InvitationWithdrawn: { invitationId: string }
  MemberJoined: { userId: string; invitationId: string; perMonth: number | null }
  MemberLimitSet: { userId: string; perMonth: number | null }
  MemberRemoved: { userId: string; reason: RemovalReason }
  TeamClosed: { reason: ClosingReason }
}

/** An event of one of the types `T`; of any type by default. */
export type TeamEvent<T extends keyof Data = keyof Data> = {
  [K in T]: Event<K, { teamId: string; at: string } & Data[K]>
}[T]

export const TEAM = 'team'

export const TEAM_EVENTS: EventSchemas<TeamEvent['type']> = {
  TeamCreated: [],
  MemberInvited: [],
  InvitationWithdrawn: [],
  MemberJoined: [],
  MemberLimitSet: [],
  MemberRemoved: [],
  TeamClosed: [],
}
