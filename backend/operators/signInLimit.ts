import type { Context } from 'koa'

type Limit = Readonly<{ burst: number; everyMs: number }>

interface Throttle {
  take(kind: string, subject: string, limit: Limit): Promise<void>
  giveBack(kind: string, subject: string, limit: Limit): Promise<void>
}

/** Wrong passwords from one network, and from all networks together: about 17,000 a day. */
const PER_NETWORK: Limit = { burst: 10, everyMs: 30_000 }
const OVERALL: Limit = { burst: 60, everyMs: 5_000 }

/** Limits attempts to sign in as the operator. Only wrong passwords count in the end. */
export const createSignInLimit = (throttle: Throttle, networkOf: (ctx: Context) => string) => ({
  /** Counts an attempt. @throws Rejection when there were too many */
  async take(ctx: Context): Promise<void> {
    await throttle.take('operator from', networkOf(ctx), PER_NETWORK)
    await throttle.take('operator', 'all', OVERALL)
  },
  /** Uncounts an attempt with the right password. */
  async giveBack(ctx: Context): Promise<void> {
    await throttle.giveBack('operator from', networkOf(ctx), PER_NETWORK)
    await throttle.giveBack('operator', 'all', OVERALL)
  },
})
