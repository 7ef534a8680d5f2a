import type { RouterContext } from '@koa/router'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import * as contract from './contract.ts'
import type { InvitationRow, TeamRows } from './teamRows.ts'
import { isIn, type OpenTeam, type Teams } from './teams.ts'
import { invitationView, teamView, type ViewDeps } from './teamViews.ts'

type Limit = Readonly<{ burst: number; everyMs: number }>

/** Time for which an invitation is valid, ms. */
const INVITED_MS = 7 * 24 * 3_600_000
/** Invitations that a user mails: 60 in a row, and 12 an hour. */
const INVITATIONS: Limit = { burst: 60, everyMs: 5 * 60_000 }

/** An account that an invited person may have. */
type Account = Readonly<{ id: string; isVerified: boolean }>

export interface TeamRoutes extends Omit<ViewDeps, 'rows'> {
  readonly teams: Teams
  readonly rows: TeamRows
  readonly throttle: (kind: string, subject: string, limit: Limit) => Promise<void>
  readonly accounts: {
    /** Returns the account of an address; undefined if there is none. */
    find(email: string): Promise<Account | undefined>
    /** Makes the account of an address, which a mail has proved. @throws Rejection registration_closed */
    claim(email: string): Promise<string>
    signIn(ctx: RouterContext, userId: string): Promise<void>
    /**
     * Refuses an invitation that no mail would bring to its address, or to an address that no account may be registered with.
     * @throws Rejection mail_required @throws ValidationError
     */
    assertMayInvite(email: string): void
    /** Mails an invitation in the language of the person, or else of the owner. */
    mail(
      ownerId: string,
      email: string,
      invitation: Readonly<{ token: string; team: string; expiresAt: Date; lifetimeMs: number }>,
    ): Promise<void>
  }
}

/** Serves teams: whom an owner lets spend, and what members see. */
export function serveTeams(serve: Serve, routes: TeamRoutes): void {
  const { teams, rows } = routes
  const view = (userId: string, team: OpenTeam) => teamView(routes, userId, team)

  serve(contract.listTeams, async ({ userId }) => {
    const found = await teams.list(userId)
    const ownsOne = found.some(({ ownerId }) => ownerId === userId)
    return {
      teams: await Promise.all(found.map((team) => view(userId, team))),
      can_create: !ownsOne && (await routes.seatsOf(userId)) > 0,
    }
  })

  serve(contract.createTeam, async ({ userId, body: { name }, command }) => {
    const id = teams.idOf(userId)
    // First, so that no team is without a name.
    if (!(await teams.find(id))) await rows.name(id, userId, name)
    await teams.create(userId, command())
    return { team: await view(userId, await teams.readIn(userId, id)) }
  })

  serve(contract.closeTeam, async ({ userId, params, command }) => {
    const team = await teams.readOwn(userId, params.id)
    await teams.close(team, command())
    await rows.removeAll(team.id)
    return undefined
  })

  serve(contract.setLimit, async ({ userId, params, body, command }) => {
    const limit = { userId: params.member, perMonth: body.credits_per_month }
    await teams.setLimit(await teams.readOwn(userId, params.id), limit, command())
    return undefined
  })

  serve(contract.removeMember, async ({ userId, params, command }) => {
    await teams.removeAs(userId, params.id, params.member, command())
    return undefined
  })

  serveInvitations(serve, routes)
}

/** Serves invitations, which are accepted with or without an account. */
function serveInvitations(serve: Serve, routes: TeamRoutes): void {
  const { teams, rows, accounts, calendar } = routes

  serve(contract.inviteMember, async ({ userId, params, body, command }) => {
    const team = await teams.readOwn(userId, params.id)
    // First, so that a refused invitation takes no seat.
    accounts.assertMayInvite(body.email)
    await routes.throttle('team invitation', userId, INVITATIONS)
    const known = await accounts.find(body.email)
    if (known?.isVerified && isIn(team, known.id))
      throw new Rejection('already_member', 'This person is in the team already.')
    const [now, perMonth] = [new Date(calendar()), body.credits_per_month]
    const expiresAt = new Date(now.getTime() + INVITED_MS)
    const replaces = (await rows.invitations(team.id, now)).filter(({ email }) => email === body.email)
    const { token, invitation } = rows.make(body.email, perMonth, now, expiresAt)
    const asked = { invitationId: invitation.id, perMonth, expiresAt: expiresAt.toISOString() }
    await teams.invite(team, { ...asked, replaces: replaces.map(({ id }) => id) }, command())
    await rows.put(team.id, invitation)
    await accounts.mail(userId, body.email, {
      token,
      team: (await rows.read(team.id))?.name ?? '',
      expiresAt,
      lifetimeMs: INVITED_MS,
    })
    const [stored] = (await rows.invitations(team.id, now)).filter(({ id }) => id === invitation.id)
    if (!stored) throw new Rejection('not_found', 'The invitation was withdrawn.')
    return { invitation: invitationView(stored) }
  })

  serve(contract.withdrawInvitation, async ({ userId, params, command }) => {
    const team = await teams.readOwn(userId, params.id)
    await teams.withdraw(team, params.invitation, command())
    await rows.remove(team.id, params.invitation)
    return undefined
  })

  /** Returns an invitation that can be accepted, and its team. @throws Rejection token_invalid */
  const find = async (token: string): Promise<{ row: InvitationRow; team: OpenTeam }> => {
    const row = await rows.find(token, new Date(calendar()))
    const team = row && (await teams.find(row.team_id))
    if (!row || !team?.invitations.some(({ id }) => id === row.id))
      throw new Rejection('token_invalid', 'The invitation has expired or was withdrawn.')
    return { row, team }
  }

  serve(contract.previewInvitation, async ({ userId, body }) => {
    const { row, team } = await find(body.token)
    return {
      team: (await rows.read(team.id))?.name ?? '',
      owner: (await routes.person(team.ownerId))?.fullName ?? '',
      email: row.email,
      credits_per_month: row.credits_per_month,
      has_account: (await accounts.find(row.email))?.isVerified ?? false,
      signed_in: userId !== undefined,
    }
  })

  serve(contract.acceptInvitation, async ({ userId, body, ctx, command }) => {
    const { row, team } = await find(body.token)
    const member = userId ?? (await signUp(accounts, ctx, row.email))
    const context = { ...command(derivedId('join', row.id, member)), actor: `user:${member}` }
    await teams.join(team.id, { userId: member, invitationId: row.id }, context)
    await rows.remove(team.id, row.id)
    return { team: await teamView(routes, member, await teams.readIn(member, team.id)) }
  })
}

/** Makes the account of an invited address, and signs in. Returns its id. @throws Rejection unauthenticated, if it has one */
async function signUp(accounts: TeamRoutes['accounts'], ctx: RouterContext, email: string): Promise<string> {
  if ((await accounts.find(email))?.isVerified)
    throw new Rejection('unauthenticated', 'Please sign in, and accept the invitation again.')
  const claimed = await accounts.claim(email)
  await accounts.signIn(ctx, claimed)
  return claimed
}
