import { atom } from 'nanostores'
import { type Stats, stats, type Tier } from '#backend/subscriptions/contract.ts'
import { call } from './api.ts'
import { readHint, writeHint } from './hint.ts'

export interface Credits {
  readonly remaining: number
  readonly total: number
  readonly tier: Tier | null
  /** Date of the next monthly credits, if any. */
  readonly next?: string | null
}

export const $credits = atom<Credits | null>(null)

/** Stores a balance, also in the hint that fills the header of the next page. */
export function setCredits(remaining: number, total: number, tier = $credits.get()?.tier ?? null): void {
  $credits.set({ ...$credits.get(), remaining, total, tier })
  const hint = readHint()
  if (hint) writeHint({ ...hint, credits: remaining })
}

/** Loads the balance. @throws ApiError */
export async function loadCredits(): Promise<Stats> {
  const answer = await call(stats)
  setCredits(answer.remaining_credits ?? 0, answer.total_credits ?? 0, answer.current_tier)
  $credits.set({ ...$credits.get()!, next: answer.next_reset_date })
  return answer
}
