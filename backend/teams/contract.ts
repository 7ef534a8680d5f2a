import * as z from 'zod/mini'
import { Email, Token } from '../accounts/contracts/fields.contract.ts'
import { endpoint } from '../kernel/http/contract.ts'
import { typedLine } from '../kernel/text/typedText.contract.ts'

const MAX_CREDITS = 1_000_000_000
export const TEAM_NAME_MAX = 60

const Name = typedLine(TEAM_NAME_MAX)

/** Credits for each month in UTC; null: no limit but the balance. */
const Limit = z.nullable(z.int('invalid_number').check(z.gte(0, 'too_small'), z.lte(MAX_CREDITS, 'too_large')))

const ROLES = ['owner', 'member'] as const

const Member = z.object({
  /** Id of the user. */
  id: z.string(),
  name: z.string(),
  /** Null for a member who looks at another. */
  email: z.nullable(z.string()),
  role: z.enum(ROLES),
  joined_at: z.string(),
  /** Credits held and spent this month (UTC). Null for a member who looks at another, as is `limit`. */
  used: z.nullable(z.number()),
  limit: z.nullable(z.number()),
})
export type TeamMember = z.infer<typeof Member>

const Invitation = z.object({
  id: z.string(),
  email: z.string(),
  credits_per_month: z.nullable(z.number()),
  created_at: z.string(),
  expires_at: z.string(),
})
export type TeamInvitation = z.infer<typeof Invitation>

export const Team = z.object({
  id: z.string(),
  name: z.string(),
  /** Role of the caller. */
  role: z.enum(ROLES),
  owner: z.object({ id: z.string(), name: z.string() }),
  created_at: z.string(),
  /** Seats of the plan, the owner's among them, and those that members and open invitations take. */
  seats: z.number(),
  seats_used: z.number(),
  /** Balance of the account that pays, which is the owner's. */
  credits_remaining: z.number(),
  /** What the caller has held and spent this month (UTC), and may; null: no limit but the balance. */
  used: z.number(),
  limit: z.nullable(z.number()),
  /** The owner first, then in the order in which they joined. */
  members: z.array(Member),
  /** Open invitations, for the owner only. */
  invitations: z.array(Invitation),
})
export type Team = z.infer<typeof Team>

export const listTeams = endpoint('GET /teams', {
  access: 'user',
  answer: z.object({
    /** The caller's own team first. */
    teams: z.array(Team),
    /** Whether the caller's plan has a team, and the caller has none. */
    can_create: z.boolean(),
  }),
  summary: 'The teams of the user, with balances, limits and members',
})

export const TeamCreation = z.object({ name: Name })

export const createTeam = endpoint('POST /teams', {
  access: 'user',
  unlessSuspended: true,
  body: TeamCreation,
  answer: z.object({ team: Team }),
  status: 201,
  refuses: ['plan_required', 'team_exists'],
  summary: "Makes the user's team, which pays with the user's credits. A user has one; it needs a plan with seats",
})

export const closeTeam = endpoint('DELETE /teams/:id', {
  access: 'user',
  refuses: ['forbidden'],
  status: 204,
  summary: 'Closes the team. Running films finish, and the films that it paid for are the owner’s',
})

/** Page of the site that a mailed invitation opens, with `#token=` behind it. */
export const JOIN_PAGE = '/team/join'

export const InvitationOrder = z.object({
  email: Email,
  credits_per_month: z._default(Limit, null),
})

export const inviteMember = endpoint('POST /teams/:id/invitations', {
  access: 'user',
  unlessSuspended: true,
  body: InvitationOrder,
  answer: z.object({ invitation: Invitation }),
  status: 201,
  refuses: ['forbidden', 'seats_full', 'already_member', 'plan_required', 'mail_required', 'too_many_requests'],
  summary: 'Mails an invitation, which is valid for 7 days. A second one for the same address replaces the first',
})

export const withdrawInvitation = endpoint('DELETE /teams/:id/invitations/:invitation', {
  access: 'user',
  refuses: ['forbidden'],
  status: 204,
  summary: 'Withdraws an open invitation',
})

export const previewInvitation = endpoint('POST /teams/invitations/preview', {
  access: 'visitor',
  body: z.object({ token: Token }),
  answer: z.object({
    team: z.string(),
    owner: z.string(),
    /** Address that was invited. */
    email: z.string(),
    credits_per_month: z.nullable(z.number()),
    /** Whether the address has an account, which has to sign in to accept. Otherwise, accepting makes one. */
    has_account: z.boolean(),
    /** Whether a session, which may be of another address, would accept. */
    signed_in: z.boolean(),
  }),
  refuses: ['token_invalid'],
  summary: 'Returns what a mailed invitation offers, without using it',
})

export const acceptInvitation = endpoint('POST /teams/invitations/accept', {
  access: 'visitor',
  body: z.object({ token: Token }),
  answer: z.object({ team: Team }),
  refuses: ['token_invalid', 'unauthenticated', 'already_member', 'registration_closed'],
  summary:
    'Joins the team, once. Without a session, and if the address has no account, makes one and signs in; if it has one, ' +
    'refuses with `unauthenticated`: sign in and accept again',
})

export const MemberLimit = z.object({ credits_per_month: Limit })

export const setLimit = endpoint('PUT /teams/:id/members/:member', {
  access: 'user',
  body: MemberLimit,
  refuses: ['forbidden'],
  status: 204,
  summary: 'Sets what a member may spend in a month; from the next film on',
})

export const removeMember = endpoint('DELETE /teams/:id/members/:member', {
  access: 'user',
  refuses: ['forbidden'],
  status: 204,
  summary:
    'Removes a member, who may be the caller. Running films finish and the next is refused; what the team paid for stays with its owner',
})
