import type { Context } from 'koa'
import type { FactorOwner } from '../../accounts/factors/factorRoutes.ts'
import type { Passkeys } from '../../accounts/factors/passkeys.ts'
import type { SecondFactors } from '../../accounts/factors/secondFactors.ts'
import { createTickets } from '../../accounts/factors/tickets.ts'
import { keyFor } from '../../accounts/keys/seal.ts'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { OperatorCaller } from '../../kernel/http/endpoint.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import { BOOTSTRAP } from '../../operators/events.ts'
import type { OperatorActions } from '../../operators/operatorActions.ts'
import type { SecondStep } from '../../operators/operatorRoutes.ts'
import type { OperatorSessions } from '../../operators/operatorSessions.ts'
import type { Operators } from '../../operators/roll/operators.ts'
import type { createSignInLimit, Throttle } from '../../operators/signInLimit.ts'
import type { Context as AppContext } from '../context.ts'

/** Wrong codes, which only someone with the password can try. Unknown devices share one limit. */
const CODES = { burst: 5, everyMs: 5 * 60_000 }

interface OperatorFactorsOptions {
  readonly context: Pick<AppContext, 'config'>
  readonly sessions: OperatorSessions
  readonly actions: OperatorActions
  readonly limit: ReturnType<typeof createSignInLimit>
  readonly throttle: Throttle
  readonly passkeys: Passkeys
  readonly factors: SecondFactors
  readonly operators: Operators
}

/** Creates the checks of codes and passkeys, which are limited and recorded. */
function createChecks({ sessions, actions, limit, throttle, passkeys, factors, operators }: OperatorFactorsOptions) {
  const verify = async (ctx: Context, operatorId: string, code: string): Promise<void> => {
    const subject = sessions.deviceOf(ctx) ?? 'unknown'
    await throttle.take('operator second factor', subject, CODES)
    const method = await factors.verify(operatorId, code).catch(async (error) => {
      await actions.record({ action: 'second_factor_refused', ctx })
      throw error
    })
    await throttle.giveBack('operator second factor', subject, CODES)
    if (method === 'recovery_code') await actions.record({ action: 'recovery_code_used', ctx })
  }

  /** Returns the operator with a passkey. */
  const checkPasskey = async (ctx: Context, credential: object): Promise<OperatorCaller> => {
    await limit.take(ctx)
    const owner = await passkeys.verify(ctx, credential).catch((error) => {
      if (!(error instanceof Rejection)) throw error
    })
    const operator = owner === undefined ? undefined : await operators.caller(owner)
    if (!operator) {
      await actions.record({ action: 'second_factor_refused', ctx })
      throw new Rejection('passkey_refused', 'The passkey was not accepted. Please try again.')
    }
    await limit.giveBack(ctx)
    return operator
  }

  return { verify, checkPasskey }
}

/** Creates the second factors of operators: the same as a user's, with the operator's session and audit log. */
export function createOperatorFactors(options: OperatorFactorsOptions) {
  const { context, sessions, actions, limit, factors, operators } = options
  const { config } = context
  const { verify, checkPasskey } = createChecks(options)
  const tickets = createTickets(keyFor('operator tickets', config.secrets.encryption))
  const current = async (ctx: Context): Promise<OperatorCaller> => {
    const operator = await sessions.current(ctx)
    if (!operator) throw new Rejection('unauthenticated', 'Please sign in as the operator.')
    return operator
  }

  /** Returns whether the session proved a second factor in the last ten minutes, or there is none. */
  const isSteppedUp = async (ctx: Context): Promise<boolean> =>
    (await sessions.isSteppedUp(ctx)) || (await factors.methods((await current(ctx)).id)).length === 0

  const requireStepUp = async (ctx: Context): Promise<void> => {
    if (!(await isSteppedUp(ctx)))
      throw new Rejection('step_up_required', 'Please confirm this with your second factor.')
  }

  const secondStep: SecondStep = {
    async require(operatorId, passwordVersion) {
      const methods = await factors.methods(operatorId)
      if (methods.length === 0) return
      const ticket = tickets.issue(operatorId, passwordVersion)
      const detail = 'Enter a code of your second factor to finish signing in.'
      throw new Rejection('second_factor_required', detail, { ticket, methods })
    },
    async check(ctx, ticket, code) {
      const operatorId = tickets.ownerOf(ticket)
      tickets.check(ticket, await operators.passwordVersion(operatorId))
      await verify(ctx, operatorId, code)
      return operatorId
    },
    checkPasskey,
  }

  const ownerOf = async (ctx: Context): Promise<FactorOwner> => {
    const operator = await current(ctx)
    return {
      owner: operator.id,
      label: operator.name,
      recommended: config.production || operator.id !== BOOTSTRAP,
      session: sessions.idOf(ctx),
      async confirmPassword(entered) {
        await limit.take(ctx)
        if (!(await operators.passwordMatches(operator.id, entered)))
          throw new ValidationError([{ path: 'password', code: 'wrong_password' }])
        await limit.giveBack(ctx)
      },
      verify: (code) => verify(ctx, operator.id, code),
      async verifyPasskey(credential) {
        if ((await checkPasskey(ctx, credential)).id !== operator.id)
          throw new Rejection('passkey_refused', 'This is the passkey of another operator.')
      },
      stepUp: () => sessions.stepUp(ctx),
      requireStepUp: () => requireStepUp(ctx),
      async record(action) {
        await actions.record({ action, ctx })
        await operators.factorsChanged(operator.id)
      },
    }
  }

  return { secondStep, isSteppedUp, requireStepUp, ownerOf }
}
