import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import type { Cookies } from './cookies.ts'
import type { Sessions } from './sessions.ts'

export type BrowserSessions = ReturnType<typeof createBrowserSessions>

const macOf = (deviceKey: Buffer, claim: string, identity: string) =>
  createHmac('sha256', deviceKey).update(`${claim}.${identity}`).digest('base64url')

/** Returns whether there is a session, for which a check holds. */
async function holds(
  current: Promise<{ readonly sessionId: string } | undefined>,
  check: (sessionId: string) => Promise<boolean>,
): Promise<boolean> {
  const session = await current
  return session !== undefined && check(session.sessionId)
}

/**
 * Creates sessions with their tokens in cookies. Another cookie, `<device>.<issued>.<mac>` with the time in epoch
 * milliseconds, identifies a device that has signed in to the account since the password was last changed. Sign-in attempts from it have a separate limit, so an attacker who exhausts the account's
 * limit does not lock out the owner. The device cookie does not authenticate the user.
 */
export function createBrowserSessions(sessions: Sessions, cookies: Cookies, deviceKey: Buffer) {
  const claims = new WeakMap<Context, ReturnType<Sessions['verify']>>()
  /** Verifies the access token of a request once, for admission and authentication. */
  const claimOf = (ctx: Context) => {
    if (!claims.has(ctx)) claims.set(ctx, sessions.verify(cookies.session(ctx).access))
    return claims.get(ctx)
  }

  return {
    list: sessions.list,
    endOne: sessions.endOne,
    endOthers: sessions.endOthers,
    isOpen: sessions.isOpen,
    forget: sessions.forget,

    /** Ends the session that the new one replaces. @see Sessions.open */
    async open(ctx: Context, userId: string, since: Date | null, steppedUp = false): Promise<void> {
      await sessions.end(cookies.session(ctx))
      cookies.setSession(ctx, await sessions.open(userId, ctx.get('User-Agent'), steppedUp, since))
    },

    async stepUp(ctx: Context): Promise<void> {
      const session = await sessions.authenticate(claimOf(ctx))
      if (session) await sessions.stepUp(session.sessionId)
    },

    isSteppedUp: (ctx: Context) => holds(sessions.authenticate(claimOf(ctx)), sessions.isSteppedUp),

    /** Returns whether the user signed in during the last ten minutes. */
    isFresh: (ctx: Context) => holds(sessions.authenticate(claimOf(ctx)), sessions.isFresh),

    /** Returns the session that the token of a request was issued for, which may have ended. Reads no database. */
    issuedFor: (ctx: Context) => sessions.issuedFor(claimOf(ctx)),

    /** Returns the session of a request; undefined if the request has no valid session. */
    current: (ctx: Context) => sessions.authenticate(claimOf(ctx)),

    /** Rotates the tokens. If the session has ended, removes its cookies and returns false. */
    async refresh(ctx: Context, onReuse: (userId: string) => Promise<void>): Promise<boolean> {
      const tokens = await sessions.refresh(cookies.session(ctx).refresh, onReuse)
      cookies.setSession(ctx, tokens)
      return tokens !== undefined
    },

    /** Ends the session and removes its cookies. Returns its user; undefined if there was no open session. */
    async end(ctx: Context): Promise<string | undefined> {
      const userId = await sessions.end(cookies.session(ctx))
      cookies.setSession(ctx, undefined)
      return userId
    },

    rememberDevice(ctx: Context, identity: string): void {
      const claim = `${randomUUID()}.${Date.now()}`
      cookies.setDevice(ctx, `${claim}.${macOf(deviceKey, claim, identity)}`)
    },

    /**
     * Returns the id of a device that has signed in to this account before; undefined for other devices.
     * @param since time of the last password change, which revoked the earlier cookies
     */
    knownDevice(ctx: Context, identity: string, since: Date | null): string | undefined {
      const [, device, issued, mac] = /^([0-9a-f-]{36})\.(\d{13})\.([\w-]{43})$/.exec(cookies.device(ctx) ?? '') ?? []
      if (!device || !issued || !mac || Number(issued) < (since?.getTime() ?? 0)) return undefined
      const signed = macOf(deviceKey, `${device}.${issued}`, identity)
      return timingSafeEqual(Buffer.from(mac), Buffer.from(signed)) ? device : undefined
    },
  }
}
