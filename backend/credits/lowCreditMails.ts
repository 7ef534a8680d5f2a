import type { Calendar } from '../kernel/time.ts'

interface Stats {
  readonly current_tier: string
  readonly remaining_credits: number
  /** When the plan renews, which is past if the payment failed; null if it does not renew. */
  readonly next_reset_date: string | null
}

type MailKind = 'creditsLow' | 'creditsGone' | 'creditsOfPlan' | 'creditsOfLargestPlan' | 'lastCreditsOfPlan'

export interface LowCreditMails {
  readonly credits: (userId: string) => Promise<{ readonly remaining: number; readonly used: number }>
  readonly stats: (userId: string) => Promise<Stats>
  readonly calendar: Calendar
  /** Emails a user once per key. */
  readonly mailOnce: (userId: string, key: string, kind: MailKind, values: Record<string, string>) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Returns the email that offers the user only what the plan does not include. */
function kindOf({ current_tier: tier, remaining_credits, next_reset_date: next }: Stats, at: string): MailKind {
  if (tier === 'free') return remaining_credits > 0 ? 'creditsLow' : 'creditsGone'
  if (next === null || next <= at) return 'lastCreditsOfPlan'
  return tier === 'ultimate' ? 'creditsOfLargestPlan' : 'creditsOfPlan'
}

/**
 * Creates a function that emails a user, at most once a day, when no more than a fifth of the credits is left. Reports
 * errors instead of throwing them: a failed email must not fail a video.
 */
export const createLowCreditMails =
  ({ credits, stats, calendar, mailOnce, onError }: LowCreditMails) =>
  async (userId: string): Promise<void> => {
    const at = new Date(calendar()).toISOString()
    try {
      const left = await credits(userId)
      if (left.remaining > (left.remaining + left.used) / 5) return
      const found = await stats(userId)
      const date = found.next_reset_date
      const remaining = String(Math.max(0, found.remaining_credits))
      const values: Record<string, string> = date === null ? { remaining } : { remaining, date }
      await mailOnce(userId, `credits ${at.slice(0, 10)}`, kindOf(found, at), values)
    } catch (error) {
      onError(error)
    }
  }
