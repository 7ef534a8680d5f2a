import type { Context } from 'koa'

type Limit = Readonly<{ burst: number; everyMs: number }>

export interface Throttle {
  take(kind: string, subject: string, limit: Limit): Promise<void>
  giveBack(kind: string, subject: string, limit: Limit): Promise<void>
}

interface SignInLimit {
  readonly throttle: Throttle
  readonly networkOf: (ctx: Context) => string
  /** Returns the id of a device that has signed in before. */
  readonly deviceOf: (ctx: Context) => string | undefined
}

/** Limits of wrong passwords per network and per known device, and for all unknown devices (about 17,000 a day). */
const PER_SUBJECT: Limit = { burst: 10, everyMs: 30_000 }
const UNKNOWN_DEVICES: Limit = { burst: 60, everyMs: 5_000 }

/**
 * Limits attempts to sign in as the operator. Only attempts with a wrong password remain counted. A known device has a
 * limit of its own, so failures of others never lock the operator out.
 */
export const createSignInLimit = ({ throttle, networkOf, deviceOf }: SignInLimit) => {
  const limitsOf = (ctx: Context) => {
    const device = deviceOf(ctx)
    if (device) return [['operator by device', device, PER_SUBJECT]] as const
    return [
      ['operator from', networkOf(ctx), PER_SUBJECT],
      ['operator', 'all', UNKNOWN_DEVICES],
    ] as const
  }
  return {
    /** Counts an attempt. @throws Rejection too_many_requests */
    async take(ctx: Context): Promise<void> {
      for (const [kind, subject, limit] of limitsOf(ctx)) await throttle.take(kind, subject, limit)
    },
    /** Refunds an attempt that had the right password. */
    async giveBack(ctx: Context): Promise<void> {
      for (const [kind, subject, limit] of limitsOf(ctx)) await throttle.giveBack(kind, subject, limit)
    },
  }
}
