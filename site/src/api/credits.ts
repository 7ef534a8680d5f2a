import { atom } from 'nanostores'
import { type Stats, stats, type Tier } from '#backend/subscriptions/contract.ts'
import { call } from './api.ts'
import { readHint, writeHint } from './hint.ts'

export interface Credits {
  readonly remaining: number
  readonly total: number
  readonly tier: Tier | null
  /** Whether the plan is suspended, so that the limits of the Free plan apply. */
  readonly suspended?: boolean
  /** Date of the next monthly credits, if any. */
  readonly next?: string | null
  /** Whether the user is in a team, which can pay as well. */
  readonly inTeam?: boolean
}

export const $credits = atom<Credits | null>(null)

/** Returns the plan whose limits apply; null if it is not known. */
export const limitsOf = (credits: Credits | null): Tier | null =>
  credits?.suspended ? 'free' : (credits?.tier ?? null)

let messages = 0
let begun = 0
/** Number of the latest load whose answer is stored. */
let applied = 0

/** Stores a balance, also in the hint that fills the header of the next page. */
function store(credits: Credits): void {
  $credits.set(credits)
  const hint = readHint()
  const { remaining, inTeam = hint?.inTeam ?? false } = credits
  if (hint) writeHint({ ...hint, credits: remaining, inTeam })
}

/** Stores the balance of a message of the server. */
export function setCredits(remaining: number, total: number): void {
  messages += 1
  store({ tier: null, ...$credits.get(), remaining, total })
}

/** Loads the balance. Neither answers that overtook this one nor messages since its request are undone. @throws ApiError */
export async function loadCredits(): Promise<Stats> {
  begun += 1
  const [mine, before] = [begun, messages]
  const answer = await call(stats)
  if (mine < applied) return answer
  applied = mine
  const { remaining_credits: remaining, total_credits: total, current_tier: tier, next_reset_date: next } = answer
  const suspended = answer.current_status === 'suspended'
  const loaded = { remaining: remaining ?? 0, total: total ?? 0 }
  store({
    ...loaded,
    ...(messages === before ? {} : $credits.get()),
    tier,
    next,
    suspended,
    inTeam: answer.in_team ?? false,
  })
  return answer
}

/** Loads the balance for the header, which keeps the earlier one after a failure. */
export const loadBalance = (): Promise<unknown> =>
  loadCredits().catch((error) => console.warn('credit balance not loaded', error))
