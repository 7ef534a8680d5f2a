import { readCredits } from '#projections/credits/readCredits.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Calendar } from '../kernel/time.ts'

type MailKind = 'creditsGone' | 'creditsLow'

export interface LowCreditMails {
  readonly database: Database
  readonly calendar: Calendar
  /** Emails a user once per key. */
  readonly mailOnce: (userId: string, key: string, kind: MailKind, values: Record<string, string>) => Promise<void>
  readonly onError: (error: unknown) => void
}

/**
 * Creates a function that emails a user, at most once a day, when no more than a fifth of the credits is left. Reports
 * errors instead of throwing them: a failed email must not fail a video.
 */
export const createLowCreditMails =
  ({ database, calendar, mailOnce, onError }: LowCreditMails) =>
  async (userId: string): Promise<void> => {
    const at = new Date(calendar()).toISOString()
    const key = `credits ${at.slice(0, 10)}`
    try {
      const { remaining, used } = await readCredits(database, userId, at)
      if (remaining <= 0) await mailOnce(userId, key, 'creditsGone', {})
      else if (remaining <= (remaining + used) / 5)
        await mailOnce(userId, key, 'creditsLow', { remaining: String(remaining) })
    } catch (error) {
      onError(error)
    }
  }
