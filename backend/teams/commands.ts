import type { ClosingReason, RemovalReason, TeamEvent } from './events.ts'

type DataOf<T extends TeamEvent['type']> = Omit<TeamEvent<T>['data'], 'teamId' | 'at'>

/** Data of each command, in addition to the team's id and the time. */
interface Commands {
  CreateTeam: DataOf<'TeamCreated'>
  /** `seats`: those of the owner's plan, the owner's among them. `replaces`: open invitations of the same address. */
  InviteMember: DataOf<'MemberInvited'> & { seats: number; replaces: readonly string[] }
  WithdrawInvitation: DataOf<'InvitationWithdrawn'>
  JoinTeam: { userId: string; invitationId: string }
  SetMemberLimit: DataOf<'MemberLimitSet'>
  RemoveMember: { userId: string; reason: RemovalReason }
  CloseTeam: { reason: ClosingReason }
}

export type TeamCommand<T extends keyof Commands = keyof Commands> = {
  [K in T]: Readonly<{ type: K; teamId: string; at: string } & Commands[K]>
}[T]
