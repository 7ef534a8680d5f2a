import * as z from 'zod/mini'
import {
  closeTeam,
  createTeam,
  InvitationOrder,
  inviteMember,
  MemberLimit,
  removeMember,
  setLimit,
  type Team,
  TeamCreation,
  type TeamInvitation,
  type TeamMember,
  withdrawInvitation,
} from '#backend/teams/contract.ts'
import { call } from '../../../api/api.ts'
import { errorText } from '../../../api/errorText.ts'
import { loadTeams } from '../../../api/teams.ts'
import { translate } from '../../../i18n/client.ts'
import { showToast } from '../../../ui/toasts/toasts.ts'

type Values = Readonly<Record<string, string>>

/** Reads the limit of a form; an empty field is none. */
const limitOf = ({ credits_per_month = '' }: Values) => ({
  credits_per_month: credits_per_month.trim() === '' ? null : Number(credits_per_month),
})

/** Schema of the form that creates a team. */
export const TeamForm = TeamCreation

/** Schema of the form that invites a member. */
export const InviteForm = z.pipe(
  z.transform(
    (values: Values): z.input<typeof InvitationOrder> => ({
      email: values.email ?? '',
      ...limitOf(values),
    }),
  ),
  InvitationOrder,
)

/** Schema of the form that sets a limit. */
export const LimitForm = z.pipe(z.transform(limitOf), MemberLimit)

export async function makeTeam(body: z.output<typeof TeamForm>): Promise<void> {
  await call(createTeam, { body })
  await loadTeams()
  showToast('success', translate()('teams.create.done', { team: body.name }))
}

export async function invite({ id }: Team, body: z.output<typeof InviteForm>): Promise<void> {
  await call(inviteMember, { params: { id }, body })
  await loadTeams()
  showToast('success', translate()('teams.invite.sent', { email: body.email }))
}

export async function limitMember({ id }: Team, member: TeamMember, body: z.output<typeof LimitForm>): Promise<void> {
  await call(setLimit, { params: { id, member: member.id }, body })
  await loadTeams()
  showToast('success', translate()('teams.limit.done'))
}

/** Runs an action that was confirmed, and says how it ended. */
async function carryOut(kind: 'pending' | 'remove' | 'leave' | 'close', done: string, action: Promise<unknown>) {
  await action.then(
    () => showToast('success', done),
    (error) => showToast('danger', errorText(error, translate()(`teams.${kind}.failed`))),
  )
  await loadTeams()
}

export const withdraw = ({ id }: Team, { id: invitation }: TeamInvitation): Promise<void> =>
  carryOut('pending', translate()('teams.pending.withdrawn'), call(withdrawInvitation, { params: { id, invitation } }))

export const remove = ({ id }: Team, { id: member, name }: TeamMember): Promise<void> =>
  carryOut('remove', translate()('teams.remove.done', { name }), call(removeMember, { params: { id, member } }))

export const leave = ({ id, name: team }: Team, member: string): Promise<void> =>
  carryOut('leave', translate()('teams.leave.done', { team }), call(removeMember, { params: { id, member } }))

export const close = ({ id, name: team }: Team): Promise<void> =>
  carryOut('close', translate()('teams.close.done', { team }), call(closeTeam, { params: { id } }))
