/**
 * Real time in epoch milliseconds. Sessions, rate limits, leases and provider calls use it.
 * The optional `kind` keeps a Clock and a {@link Calendar} from being passed for each other; a plain function fits both.
 */
export type Clock = (() => number) & { readonly kind?: 'clock' }

/**
 * Business time in epoch milliseconds, movable in development (`POST /dev/clock`). Subscriptions, credits, mails and
 * retention use it.
 */
export type Calendar = (() => number) & { readonly kind?: 'calendar' }
