import type { Context } from 'koa'
import type * as z from 'zod/mini'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'

import { networkAddress } from '../kernel/http/fairness/networkAddress.ts'

import { ValidationError } from '../kernel/http/problemDetails.ts'

import type { AccountPasswords } from './accountPasswords.ts'
import type { AccountDeletion } from './contract.ts'
import type { NotifyFactor } from './factors/factorNotices.ts'
import type { FactorOwner } from './factors/factorRoutes.ts'
import type { SecondFactors } from './factors/secondFactors.ts'
import type { SecurityLog } from './security/securityLog.ts'
import type { BrowserSessions } from './sessions/browserSessions.ts'
import type { Attempts } from './sessions/limits.ts'
import type { UserAccount } from './tables.ts'

type Deletion = z.output<typeof AccountDeletion>

interface ConfirmationsOptions {
  readonly passwords: AccountPasswords
  readonly sessions: BrowserSessions
  readonly attempts: Attempts
  readonly securityLog: SecurityLog
  readonly factors: SecondFactors
  readonly notifyFactor: NotifyFactor
  /** Whether a mailed link can confirm an action. */
  readonly mailsLinks: boolean
}

/** Creates the checks of a user's second factors. */
function createFactorChecks({ sessions, attempts, securityLog, factors }: ConfirmationsOptions) {
  /**
   * Accepts a code of the second factor once. Guesses elsewhere do not lock out a device that has signed in before.
   * @throws ValidationError wrong_code
   */
  const verifyFactor = async (ctx: Context, account: UserAccount, code: string): Promise<void> => {
    const { id: userId, identity, passwordChangedAt = null } = account
    const guesser = sessions.knownDevice(ctx, identity, passwordChangedAt) ?? userId
    await attempts.take(ctx, 'second factor', guesser, userId)
    const method = await factors.verify(userId, code).catch(async (error) => {
      await securityLog.record(ctx, userId, 'second_factor_failed')
      throw error
    })
    await attempts.giveBack(ctx, 'second factor', guesser)
    if (method === 'recovery_code') await securityLog.record(ctx, userId, 'recovery_code_used')
  }

  /** Checks a passkey, and returns its owner. Failures of a network are limited. @throws Rejection passkey_refused */
  const verifyPasskey = async (ctx: Context, credential: object): Promise<string> => {
    const address = networkAddress(ctx)
    await attempts.take(ctx, 'sign in from', address)
    const owner = await factors.passkeys.verify(ctx, credential).catch(async (error) => {
      await securityLog.record(ctx, null, 'sign_in_failed')
      throw error
    })
    await attempts.giveBack(ctx, 'sign in from', address)
    return owner
  }

  /** Requires a recent proof of the second factor, if the user has one. @throws Rejection step_up_required */
  const requireStepUp = async (ctx: Context, userId: string): Promise<void> => {
    const isRequired = (await factors.methods(userId)).length > 0
    if (isRequired && !(await sessions.isSteppedUp(ctx)))
      throw new Rejection('step_up_required', 'Please confirm this with your second factor.')
  }

  return { verifyFactor, verifyPasskey, requireStepUp }
}

type RequireStepUp = ReturnType<typeof createFactorChecks>['requireStepUp']

/** Creates the proofs that a session is used by the owner of its account. */
function createProofs(options: ConfirmationsOptions, requireStepUp: RequireStepUp) {
  const { passwords, sessions, attempts, factors, mailsLinks } = options

  /**
   * Checks the password. The rate limit prevents guessing it from a stolen session. An account without a password has
   * nothing to guess. @throws ValidationError no_password, wrong_password  @throws Rejection too_many_requests
   */
  const confirmPassword = async (
    ctx: Context,
    userId: string,
    password: string,
    path = 'password',
  ): Promise<UserAccount> => {
    if (!(await passwords.isSet(userId))) throw new ValidationError([{ path, code: 'no_password' }])
    await attempts.take(ctx, 'confirm', userId, userId)
    const account = await passwords.confirm(userId, password, path)
    await attempts.giveBack(ctx, 'confirm', userId)
    return account
  }

  /** @throws Rejection sign_in_again */
  const requireFreshSession = async (ctx: Context): Promise<void> => {
    if (!(await sessions.isFresh(ctx)))
      throw new Rejection('sign_in_again', 'Please sign out, sign in again, and repeat this within ten minutes.')
  }

  /**
   * Checks the password or, of an account without one, a passkey proved a moment ago or a mailed token; and a recent proof of
   * the second factor, if there is one. Where no mails are sent, a sign-in a moment ago replaces the token.
   * @throws ValidationError required, wrong_password
   * @throws Rejection mail_required, sign_in_again, step_up_required, token_invalid
   */
  const confirmOwner = async (ctx: Context, userId: string, { password, token }: Deletion): Promise<void> => {
    if (await passwords.isSet(userId)) {
      if (password === undefined) throw new ValidationError([{ path: 'password', code: 'required' }])
      await confirmPassword(ctx, userId, password)
    } else if (token !== undefined) {
      await attempts.take(ctx, 'confirm', userId, userId)
      await passwords.confirmDeletion(userId, token)
    } else if (!(await factors.methods(userId)).includes('passkey')) {
      if (mailsLinks) throw new Rejection('mail_required', 'Please confirm this with the link that we email you.')
      await requireFreshSession(ctx)
    }
    await requireStepUp(ctx, userId)
  }

  /**
   * Checks the password or, of an account without one, that its user signed in a moment ago; and a recent proof of the second
   * factor, if there is one. @throws ValidationError required, wrong_password  @throws Rejection sign_in_again, step_up_required
   */
  const confirmConnection = async (ctx: Context, userId: string, password: string | undefined): Promise<void> => {
    if (!(await passwords.isSet(userId))) await requireFreshSession(ctx)
    else if (password === undefined) throw new ValidationError([{ path: 'password', code: 'required' }])
    else await confirmPassword(ctx, userId, password)
    await requireStepUp(ctx, userId)
  }

  return { confirmPassword, confirmOwner, confirmConnection }
}

/** Creates the checks of a user's password and second factor that sensitive actions require. */
export function createConfirmations(options: ConfirmationsOptions) {
  const { sessions, securityLog, notifyFactor } = options
  const checks = createFactorChecks(options)
  const { verifyFactor, verifyPasskey, requireStepUp } = checks
  const proofs = createProofs(options, requireStepUp)

  return {
    ...proofs,
    ...checks,
    /** Returns the user as the owner of second factors. */
    ownerOf: (ctx: Context, account: UserAccount): FactorOwner => ({
      owner: account.id,
      label: account.email,
      recommended: false,
      session: ctx.state.sessionId ?? '',
      confirmPassword: async (password) => void (await proofs.confirmPassword(ctx, account.id, password)),
      verify: (code) => verifyFactor(ctx, account, code),
      async verifyPasskey(credential) {
        const owner = await verifyPasskey(ctx, credential)
        if (owner !== account.id) throw new Rejection('passkey_refused', 'This passkey belongs to another account.')
      },
      stepUp: () => sessions.stepUp(ctx),
      requireStepUp: () => requireStepUp(ctx, account.id),
      async record(change) {
        await securityLog.record(ctx, account.id, change)
        await notifyFactor(account, change)
      },
    }),
  }
}
