import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import type { FactorOwner } from '../../accounts/factors/factorRoutes.ts'
import type { Passkeys } from '../../accounts/factors/passkeys.ts'
import { createSecondFactors, type SecondFactors } from '../../accounts/factors/secondFactors.ts'
import { createTickets } from '../../accounts/factors/tickets.ts'
import { keyFor } from '../../accounts/keys/seal.ts'
import type { UserKeys } from '../../accounts/keys/userKeys.ts'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import type { OperatorActions } from '../../operators/operatorActions.ts'
import { equal, type SecondStep } from '../../operators/operatorRoutes.ts'
import type { OperatorSessions } from '../../operators/operatorSessions.ts'
import type { createSignInLimit, Throttle } from '../../operators/signInLimit.ts'
import type { Context as AppContext } from '../context.ts'

/** Owner of the operator's factors and key. No user has the nil UUID. */
const OPERATOR = '00000000-0000-0000-0000-000000000000'
/** Wrong codes, which only somebody with the password can try. Unknown devices share one limit. */
const CODES = { burst: 5, everyMs: 5 * 60_000 }

interface OperatorFactorsOptions {
  readonly context: Pick<AppContext, 'config' | 'database'>
  readonly userKeys: Pick<UserKeys, 'encrypt' | 'tryDecrypt'>
  readonly sessions: OperatorSessions
  readonly actions: OperatorActions
  readonly limit: ReturnType<typeof createSignInLimit>
  readonly throttle: Throttle
  readonly passkeys: Passkeys
}

/** Creates the checks of codes and passkeys, which are limited and recorded. */
function createChecks(options: OperatorFactorsOptions, factors: SecondFactors) {
  const { sessions, actions, limit, throttle, passkeys } = options

  const verify = async (ctx: Context, code: string): Promise<void> => {
    const subject = sessions.deviceOf(ctx) ?? 'unknown'
    await throttle.take('operator second factor', subject, CODES)
    const method = await factors.verify(OPERATOR, code).catch(async (error) => {
      await actions.record({ action: 'second_factor_refused', ip: ctx.ip })
      throw error
    })
    await throttle.giveBack('operator second factor', subject, CODES)
    if (method === 'recovery_code') await actions.record({ action: 'recovery_code_used', ip: ctx.ip })
  }

  const checkPasskey = async (ctx: Context, credential: object): Promise<void> => {
    await limit.take(ctx)
    const owner = await passkeys.verify(ctx, credential).catch((error) => {
      if (!(error instanceof Rejection)) throw error
    })
    if (owner !== OPERATOR) {
      await actions.record({ action: 'second_factor_refused', ip: ctx.ip })
      throw new Rejection('passkey_refused', 'The passkey was not accepted. Please try again.')
    }
    await limit.giveBack(ctx)
  }

  return { verify, checkPasskey }
}

/** Creates the second factors of the operator: the same as a user's, with the operator's session and audit log. */
export function createOperatorFactors(options: OperatorFactorsOptions) {
  const { context, userKeys, sessions, actions, limit, passkeys } = options
  const { config, database } = context
  const { username, password } = config.operators
  const factors = createSecondFactors({ database, passkeys, userKeys })
  const { verify, checkPasskey } = createChecks(options, factors)
  const tickets = createTickets(keyFor('operator tickets', config.secrets.encryption))
  /** Changes with the password and thereby invalidates earlier tickets. */
  const version = createHash('sha256').update(password).digest('hex')

  /** Returns whether the session proved a second factor in the last ten minutes, or there is none. */
  const isSteppedUp = async (ctx: Context): Promise<boolean> =>
    (await sessions.isSteppedUp(ctx)) || (await factors.methods(OPERATOR)).length === 0

  const requireStepUp = async (ctx: Context): Promise<void> => {
    if (!(await isSteppedUp(ctx)))
      throw new Rejection('step_up_required', 'Please confirm this with your second factor.')
  }

  const secondStep: SecondStep = {
    async require() {
      const methods = await factors.methods(OPERATOR)
      if (methods.length === 0) return
      const ticket = tickets.issue(OPERATOR, version)
      const detail = 'Enter a code of your second factor to finish signing in.'
      throw new Rejection('second_factor_required', detail, { ticket, methods })
    },
    async check(ctx, ticket, code) {
      tickets.check(ticket, version)
      await verify(ctx, code)
    },
    checkPasskey,
  }

  return {
    factors,
    secondStep,
    isSteppedUp,
    requireStepUp,
    ownerOf: (ctx: Context): FactorOwner => ({
      owner: OPERATOR,
      label: username,
      recommended: config.production,
      session: sessions.idOf(ctx),
      async confirmPassword(entered) {
        await limit.take(ctx)
        if (!equal(entered, password)) throw new ValidationError([{ path: 'password', code: 'wrong_password' }])
        await limit.giveBack(ctx)
      },
      verify: (code) => verify(ctx, code),
      verifyPasskey: (credential) => checkPasskey(ctx, credential),
      stepUp: () => sessions.stepUp(ctx),
      requireStepUp: () => requireStepUp(ctx),
      record: (action) => actions.record({ action, ip: ctx.ip }),
    }),
  }
}
