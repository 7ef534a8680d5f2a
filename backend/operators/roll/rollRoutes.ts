import type { Context } from 'koa'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import type { OperatorActions } from '../operatorActions.ts'
import type { OperatorSessions } from '../operatorSessions.ts'
import type { createSignInLimit } from '../signInLimit.ts'
import * as contract from './contract.ts'
import type { Operators } from './operators.ts'

export interface RollRoutes {
  readonly operators: Operators
  readonly sessions: Pick<OperatorSessions, 'signIn' | 'endAll'>
  readonly actions: OperatorActions
  readonly limit: ReturnType<typeof createSignInLimit>
  /** @throws Rejection step_up_required */
  readonly requireStepUp: (ctx: Context) => Promise<void>
  /** @throws ValidationError password_common, … */
  readonly assertStrong: (password: string) => Promise<void>
  /** Mails a link. Returns it if it could not be sent. */
  readonly mail: (kind: 'operatorInvited' | 'operatorReset', to: Recipient, token: string) => Promise<string | null>
}

interface Recipient {
  readonly name: string
  readonly email: string
  readonly language: 'en' | 'zh'
  /** Who invites them. */
  readonly by?: string
}

/** Serves who the operators are. */
export function serveRoll(serve: Serve, routes: RollRoutes): void {
  const { operators, sessions, actions, limit, requireStepUp, assertStrong, mail } = routes
  const { me, operators: list, inviteOperator, changeOperatorRole, removeOperator } = contract

  serve(me, async ({ operator: { id, name, role } }) => ({
    success: true as const,
    ...{ id, name, role, alone: await operators.isAlone() },
  }))

  serve(list, async () => ({ success: true as const, operators: await operators.list() }))

  serve(inviteOperator, async ({ body, ctx, operator }) => {
    await requireStepUp(ctx)
    const { id, token } = await operators.invite(body, operator)
    await actions.record({ action: 'operator_invited', detail: `${body.name}: ${body.role}`, ctx })
    return { id, link: await mail('operatorInvited', { ...body, by: operator.name }, token) }
  })

  serve(changeOperatorRole, async ({ body, params, ctx, operator }) => {
    await requireStepUp(ctx)
    await operators.changeRole(known(params.id), body.role, operator)
    await actions.record({ action: 'operator_role_changed', detail: `operator ${params.id}: ${body.role}`, ctx })
    return undefined
  })

  serve(removeOperator, async ({ params, ctx, operator }) => {
    await requireStepUp(ctx)
    await operators.remove(known(params.id), operator)
    await actions.record({ action: 'operator_removed', detail: `operator ${params.id}`, ctx })
    return undefined
  })

  serve(contract.forgotOperatorPassword, async ({ body: { username: name, language }, ctx }) => {
    await limit.take(ctx)
    const found = await operators.forget(name)
    if (!found) return undefined
    await actions.record({ action: 'password_reset_asked', detail: name, ctx })
    // Not awaited, so that the answer does not tell who is an operator.
    void mail('operatorReset', { name, language, email: found.email }, found.token)
    return undefined
  })

  serve(contract.acceptInvitation, async ({ body, ctx }) => {
    await limit.take(ctx)
    await assertStrong(body.password)
    const { isFirst, ...operator } = await operators.accept(body.token, body.password)
    await limit.giveBack(ctx)
    await sessions.endAll(operator.id)
    // The second factor is needed with a new password, too. See docs/decisions/0096-operators-reset-their-password.md.
    const hasNoFactor = operator.role === 'invited'
    if (hasNoFactor) await sessions.signIn(ctx, operator, false)
    ctx.state.operator = operator.name
    await actions.record({ action: isFirst ? 'operator_joined' : 'password_reset', ctx })
    return { success: true as const, name: operator.name, signed_in: hasNoFactor }
  })
}

function known(id: string): string {
  if (!isUuid(id)) throw new Rejection('not_found', 'There is no such operator.')
  return id
}
