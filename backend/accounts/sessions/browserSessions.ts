import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'
import type { Cookies } from './cookies.ts'
import type { Sessions } from './sessions.ts'

export type BrowserSessions = ReturnType<typeof createBrowserSessions>

/**
 * The sessions of users, with their tokens in the browser's cookies. A second cookie, `<device>.<mac>`, marks devices that
 * have signed in to an account before. Their sign-in attempts have a limit of their own, so an attacker who exhausts the
 * account's limit does not lock out the owner. It does not authenticate.
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

    /** Returns the session that a request belongs to; undefined without a valid one. */
    current: (ctx: Context) => sessions.authenticate(cookies.session(ctx).access),

    /** Rotates the tokens. @returns false if the session has ended, and removes its cookies */
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

    /** Returns the device's id if it has signed in to this mailbox's account before. */
    knownDevice(ctx: Context, identity: string): string | undefined {
      const [, device, mac] = /^([0-9a-f-]{36})\.([\w-]{43})$/.exec(cookies.device(ctx) ?? '') ?? []
      if (!device || !mac) return undefined
      return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(device, identity))) ? device : undefined
    },
  }
}
