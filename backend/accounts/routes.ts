import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import type { AccountPasswords } from './accountPasswords.ts'
import { type Accounts, asUser } from './accounts.ts'
import type { Background } from './background.ts'
import * as contract from './contract.ts'
import { mailIdentity } from './mails/mailAddress.ts'
import type { Cookies } from './sessions/cookies.ts'
import type { KnownDevices } from './sessions/knownDevices.ts'
import type { Limits } from './sessions/limits.ts'
import { networkAddress } from './sessions/networkAddress.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { Throttle } from './sessions/throttle.ts'

export interface AccountRoutes {
  readonly accounts: Accounts
  readonly passwords: AccountPasswords
  readonly sessions: Sessions
  readonly cookies: Cookies
  readonly devices: KnownDevices
  readonly throttle: Throttle
  readonly limits: Limits
  readonly background: Background
}

/** From a stranger to a session, and back. */
export function serveAccounts(serve: Serve, ports: AccountRoutes): void {
  const { accounts, passwords, sessions, cookies, devices, throttle, limits, background } = ports

  serve(contract.register, async ({ body, ctx }) => {
    if (limits.registrations) await throttle.take('register', networkAddress(ctx), limits.registrations)
    await accounts.register(body)
    return { message: 'Registered. Please check your email for the verification link.' }
  })

  serve(contract.verifyEmail, async ({ body }) => {
    const granted = await accounts.verifyEmail(body.token)
    return { message: 'Email verified.', credits_granted: granted }
  })

  /** The same answer at the same time for every address: the limit counts all alike, and the work is not waited for. */
  const mailLater = async (
    kind: string,
    email: string,
    ctx: Parameters<typeof networkAddress>[0],
    work: () => Promise<void>,
  ) => {
    await throttle.take(`${kind} from`, networkAddress(ctx), limits.mailsFrom)
    await throttle.take(kind, mailIdentity(email), limits.mailsTo)
    background.run(work)
  }

  serve(contract.resendVerification, async ({ body: { email }, ctx }) => {
    await mailLater('resend', email, ctx, () => accounts.resendVerification(email))
    return { message: 'If this address waits for its verification, a new link is on its way.' }
  })

  serve(contract.forgotPassword, async ({ body: { email }, ctx }) => {
    await mailLater('forgot', email, ctx, () => passwords.forgot(email))
    return { message: 'If this address has an account, a link is on its way.' }
  })

  serve(contract.resetPassword, async ({ body, ctx }) => {
    const { identity } = await passwords.reset(body.token, body.new_password)
    // Who has the mailbox is no stranger: guesses from elsewhere do not keep them waiting.
    cookies.setDevice(ctx, devices.issue(identity))
    return { message: 'The password was changed. Please sign in.' }
  })

  serve(contract.login, async ({ body, ctx }) => {
    const identity = mailIdentity(body.email)
    const place = networkAddress(ctx)
    const device = devices.recognise(cookies.device(ctx), identity)
    const [kind, subject] = device ? ['sign in by device', device] : ['sign in', identity]
    // Counted before the password is looked at, so that a hundred guesses at once count as a hundred.
    await throttle.take('sign in from', place, limits.signInAddress)
    await throttle.take(kind!, subject!, limits.signInAccount)
    const account = await passwords.authenticate(body.email, body.password)
    await throttle.giveBack('sign in from', place, limits.signInAddress)
    await throttle.giveBack(kind!, subject!, limits.signInAccount)
    const tokens = await sessions.open(account.id, ctx.get('User-Agent'))
    cookies.setSession(ctx, tokens)
    if (!device) cookies.setDevice(ctx, devices.issue(identity))
    return { user: asUser(account) }
  })

  serve(contract.me, async ({ userId }) => {
    const account = await accounts.byId(userId)
    if (!account) throw new Rejection('unauthenticated', 'Please sign in.')
    return asUser(account)
  })

  serve(contract.refresh, async ({ ctx }) => {
    const tokens = await sessions.refresh(cookies.session(ctx).refresh)
    cookies.setSession(ctx, tokens)
    if (!tokens) throw new Rejection('unauthenticated', 'The session has ended. Please sign in.')
    return { message: 'Refreshed.' }
  })

  serve(contract.logout, async ({ ctx }) => {
    await sessions.end(cookies.session(ctx))
    cookies.setSession(ctx, undefined)
    return { message: 'Signed out.' }
  })
}
