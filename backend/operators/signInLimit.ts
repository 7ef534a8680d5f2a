import type { Context } from 'koa'

type Limit = Readonly<{ burst: number; everyMs: number }>

interface Throttle {
  take(kind: string, subject: string, limit: Limit): Promise<void>
  giveBack(kind: string, subject: string, limit: Limit): Promise<void>
}

/** Limits of wrong passwords per network, and for all networks together (about 17,000 a day). */
const PER_NETWORK: Limit = { burst: 10, everyMs: 30_000 }
const OVERALL: Limit = { burst: 60, everyMs: 5_000 }

/** Limits attempts to sign in as the operator. Only attempts with a wrong password remain counted. */
export const createSignInLimit = (throttle: Throttle, networkOf: (ctx: Context) => string) => ({
  /** Counts an attempt. @throws Rejection too_many_requests */
  async take(ctx: Context): Promise<void> {
    await throttle.take('operator from', networkOf(ctx), PER_NETWORK)
    await throttle.take('operator', 'all', OVERALL)
  },
  /** Refunds an attempt that had the right password. */
  async giveBack(ctx: Context): Promise<void> {
    await throttle.giveBack('operator from', networkOf(ctx), PER_NETWORK)
    await throttle.giveBack('operator', 'all', OVERALL)
  },
})
