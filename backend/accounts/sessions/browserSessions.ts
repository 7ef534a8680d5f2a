import type { Context } from 'koa'
import type { Cookies } from './cookies.ts'
import type { KnownDevices } from './knownDevices.ts'
import type { Sessions } from './sessions.ts'

export type BrowserSessions = ReturnType<typeof createBrowserSessions>

/** The sessions of users, with their tokens in the browser's cookies. */
export function createBrowserSessions(sessions: Sessions, cookies: Cookies, devices: KnownDevices) {
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

    /** Returns the device's id if it has signed in to this mailbox's account before. */
    knownDevice: (ctx: Context, identity: string) => devices.recognise(cookies.device(ctx), identity),
    rememberDevice: (ctx: Context, identity: string) => cookies.setDevice(ctx, devices.issue(identity)),
  }
}
