import type { Limit } from './throttle.ts'

const MINUTE = 60_000

/** How often each thing may be tried. Outside production everybody shares one network address, so those are wide there. */
export function limitsOf(production: boolean) {
  const shared = ({ burst, everyMs }: Limit): Limit =>
    production ? { burst, everyMs } : { burst: burst * 20, everyMs: everyMs / 20 }
  return {
    /** Wrong passwords for one account: at most 2,900 a day. From a device that has signed in before, counted apart. */
    signInAccount: { burst: 10, everyMs: MINUTE / 2 },
    /** Wrong passwords from one network address, whatever the accounts. */
    signInAddress: shared({ burst: 100, everyMs: MINUTE / 6 }),
    /** Mails that anyone may have sent to one mail address, by each of the ways to ask for one. */
    mailsTo: { burst: 5, everyMs: 2 * MINUTE },
    mailsFrom: shared({ burst: 30, everyMs: MINUTE }),
    /** Passwords asked for once more of who is signed in. */
    confirmation: { burst: 10, everyMs: MINUTE / 2 },
    /** None outside production. */
    registrations: production ? { burst: 10, everyMs: 10 * MINUTE } : undefined,
  } satisfies Record<string, Limit | undefined>
}

export type Limits = ReturnType<typeof limitsOf>
