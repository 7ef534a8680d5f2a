import type pg from 'pg'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Clock } from '../../kernel/time.ts'

/** Someone who downloads videos. */
export type Recipient = Readonly<{ id: string; email: string; language: string }>

export interface VisibleLabels {
  readonly pool: Pick<pg.Pool, 'query'>
  readonly clock: Clock
  /** `auto`: for accounts whose language is Chinese. */
  readonly policy: 'auto' | 'always' | 'never'
  readonly recipientOf: (userId: string) => Promise<Recipient | null>
}

export type Labels = ReturnType<typeof createVisibleLabels>

/**
 * Decides which downloads say visibly that AI made the video. China's labelling measures (article 9) let a user ask for
 * a copy without the label after accepting the responsibility. Each request is recorded, with the address of the user,
 * and kept for six months: longer than the account, if it is deleted.
 */
export function createVisibleLabels({ pool, clock, policy, recipientOf }: VisibleLabels) {
  const isDefault = async (userId: string) =>
    policy === 'always' || (policy === 'auto' && (await recipientOf(userId))?.language === 'zh')

  return {
    isDefault,

    /** Returns whether a download must have the label. `wish` overrides the default. @throws Rejection */
    async isRequired(userId: string, taskId: string, wish: boolean | undefined): Promise<boolean> {
      if (wish !== false) return wish ?? isDefault(userId)
      if (!(await isDefault(userId)) || (await hasRequested(pool, userId, taskId))) return false
      throw new Rejection('label_required', 'Accept the responsibility for labelling this video first.')
    },

    /** Records that the user asked for a video without the label, and accepted the responsibility; once a day. */
    async request(userId: string, taskId: string): Promise<void> {
      const recipient = await recipientOf(userId)
      if (!recipient) throw new Rejection('unauthenticated', 'Please sign in.')
      const sql = `insert into unlabelled_request (at, user_id, email, task_id)
        select $1::timestamptz, $2::uuid, $3::text, $4::uuid where not exists (
          select from unlabelled_request where task_id = $4 and user_id = $2 and at > $1::timestamptz - interval '1 day')`
      await pool.query(sql, [new Date(clock()), userId, recipient.email, taskId])
    },
  }
}

async function hasRequested(pool: VisibleLabels['pool'], userId: string, taskId: string): Promise<boolean> {
  const sql = 'select from unlabelled_request where task_id = $1 and user_id = $2 limit 1'
  return (await pool.query(sql, [taskId, userId])).rowCount === 1
}

/** Deletes the requests that are older than six months. */
export async function deleteOldRequests(pool: VisibleLabels['pool'], clock: Clock): Promise<void> {
  const sql = `delete from unlabelled_request where at < $1::timestamptz - interval '6 months'`
  await pool.query(sql, [new Date(clock())])
}
