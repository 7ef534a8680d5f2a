import type { Context } from 'koa'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { coarseNetwork } from '../../kernel/http/fairness/networkAddress.ts'
import type { Background } from '../background.ts'
import type { SecurityLog } from '../security/securityLog.ts'
import type { Limit, Throttle } from './throttle.ts'

const MINUTE_MS = 60_000

/**
 * Returns the rate limit for each kind of attempt; undefined means unlimited. Limits per network address are 20 times
 * higher outside production, where all users share one address. The names are part of stored keys.
 */
export function limitsOf(production: boolean) {
  const perAddress = (burst: number, everyMs: number): Limit =>
    production ? { burst, everyMs } : { burst: burst * 20, everyMs: everyMs / 20 }
  const password: Limit = { burst: 10, everyMs: MINUTE_MS / 2 }
  const mails: Limit = { burst: 5, everyMs: 2 * MINUTE_MS }
  return {
    register: production ? { burst: 10, everyMs: 10 * MINUTE_MS } : undefined,
    /** Wrong passwords for one account: at most 2,900 a day. */
    'sign in': password,
    /** Wrong passwords for one account from a device that has signed in to it before. */
    'sign in by device': password,
    /** Wrong passwords from one network address, across all accounts. */
    'sign in from': perAddress(100, MINUTE_MS / 6),
    /** Wrong passwords entered by a signed-in user to confirm a change. */
    confirm: password,
    /** Wrong codes of a second factor, which need the password: at most 293 a day for each known device, and for all others. */
    'second factor': { burst: 5, everyMs: 5 * MINUTE_MS },
    /** Verification emails to one address. */
    resend: mails,
    /** Registrations of one address, each of which sends an email. */
    'register address': mails,
    forgot: mails,
    /** Sign-in links to one address. */
    start: mails,
    'start from': production ? { burst: 10, everyMs: 10 * MINUTE_MS } : undefined,
    'resend from': perAddress(30, MINUTE_MS),
    'forgot from': perAddress(30, MINUTE_MS),
  } satisfies Record<string, Limit | undefined>
}

type Kind = keyof ReturnType<typeof limitsOf>

export type Attempts = ReturnType<typeof createAttempts>

/** Kinds that count per network address, and for IPv6 also per /48 network, which one customer may have. */
const PER_NETWORK: ReadonlySet<Kind> = new Set(['register', 'start from', 'sign in from', 'resend from', 'forgot from'])
/** Limit of a /48 network, as a multiple of that of a /64. */
const WIDE = 10

/** Creates the rate limiter for all kinds of attempts. */
export function createAttempts(
  throttle: Throttle,
  { recordThrottle }: Pick<SecurityLog, 'recordThrottle'>,
  inBackground: Background['run'],
  production: boolean,
) {
  const limits: Readonly<Record<Kind, Limit | undefined>> = limitsOf(production)
  const recording = new Set<string>()

  /** Records a refusal after the answer: the record of a known account takes longer, which the time would reveal. */
  const record = (ctx: Context, userId: string | null): void => {
    const about = `${userId} ${coarseNetwork(ctx)}`
    if (recording.has(about)) return
    recording.add(about)
    inBackground(() => recordThrottle(ctx, userId).finally(() => recording.delete(about)))
  }

  /** Returns what an attempt counts for: its subject, and the wide network of a network address. */
  const countsOf = (ctx: Pick<Context, 'ip'>, kind: Kind, subject: string) => {
    const limit = limits[kind]
    if (!limit) return []
    const counts: [string, string, Limit][] = [[kind, subject, limit]]
    const wide = coarseNetwork(ctx)
    if (PER_NETWORK.has(kind) && wide?.endsWith('/48'))
      counts.push([`${kind} wide`, wide, { burst: limit.burst * WIDE, everyMs: limit.everyMs / WIDE }])
    return counts
  }

  return {
    /** Counts an attempt, and records a refusal for `userId`. @throws Rejection too_many_requests */
    async take(ctx: Context, kind: Kind, subject: string, userId: string | null = null): Promise<void> {
      try {
        for (const count of countsOf(ctx, kind, subject)) await throttle.take(...count)
      } catch (error) {
        if (error instanceof Rejection) record(ctx, userId)
        throw error
      }
    },
    /** Removes a successful attempt from the count. */
    async giveBack(ctx: Context, kind: Kind, subject: string): Promise<void> {
      for (const count of countsOf(ctx, kind, subject)) await throttle.giveBack(...count)
    },
  }
}
