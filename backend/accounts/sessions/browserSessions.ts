import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import type { Cookies } from './cookies.ts'
import type { Sessions } from './sessions.ts'

export type BrowserSessions = ReturnType<typeof createBrowserSessions>

/**
 * Creates sessions with their tokens in cookies. Another cookie, `<device>.<mac>`, identifies a device that has signed
 * in to the account before. Sign-in attempts from it have a separate limit, so an attacker who exhausts the account's
 * limit does not lock out the owner. The device cookie does not authenticate the user.
 */
export function createBrowserSessions(sessions: Sessions, cookies: Cookies, deviceKey: Buffer) {
  const macOf = (device: string, identity: string) =>
    createHmac('sha256', deviceKey).update(`${device}.${identity}`).digest('base64url')

  return {
    list: sessions.list,
    endOne: sessions.endOne,
    endOthers: sessions.endOthers,

    async open(ctx: Context, userId: string): Promise<void> {
      cookies.setSession(ctx, await sessions.open(userId, ctx.get('User-Agent')))
    },

    /** Returns the session of a request; undefined if the request has no valid session. */
    current: (ctx: Context) => sessions.authenticate(cookies.session(ctx).access),

    /** Rotates the tokens. If the session has ended, removes its cookies and returns false. */
    async refresh(ctx: Context): Promise<boolean> {
      const tokens = await sessions.refresh(cookies.session(ctx).refresh)
      cookies.setSession(ctx, tokens)
      return tokens !== undefined
    },

    async end(ctx: Context): Promise<void> {
      await sessions.end(cookies.session(ctx))
      cookies.setSession(ctx, undefined)
    },

    rememberDevice(ctx: Context, identity: string): void {
      const device = randomUUID()
      cookies.setDevice(ctx, `${device}.${macOf(device, identity)}`)
    },

    /** Returns the id of a device that has signed in to this account before; undefined for other devices. */
    knownDevice(ctx: Context, identity: string): string | undefined {
      const [, device, mac] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(cookies.device(ctx) ?? '') ?? []
      if (!device || !mac) return undefined
      return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(device, identity))) ? device : undefined
    },
  }
}
