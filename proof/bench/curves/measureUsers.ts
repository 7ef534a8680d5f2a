import { createHash } from 'node:crypto'
import type pg from 'pg'
import { readCreditEntries } from '#projections/credits/readCreditEntries.ts'
import { readCredits } from '#projections/credits/readCredits.ts'
import { readSubscription } from '#projections/subscriptions/readSubscription.ts'
import { listVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import { costEach } from './costOf.ts'
import type { Sample } from './sample.ts'
import { settle, startCurveDatabase } from './startCurveDatabase.ts'

const PAGE = { page: 1, perPage: 20 }
/** The user whose own history grows; the others have three entries each. */
const LONG = userId(0)

/** Returns the id that `md5('user' || n)::uuid` has in the seed. */
function userId(n: number): string {
  const hash = createHash('md5').update(`user${n}`).digest('hex')
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * Inserts the rows of the users with numbers above `from` and up to `to` into the tables of the read models: a balance, a
 * subscription, two videos and three entries each. They are made in the database, because their values do not matter.
 */
async function seedUsers(pool: pg.Pool, from: number, to: number): Promise<void> {
  const users = `generate_series($1::int + 1, $2::int) u, lateral (select md5('user' || u)::uuid as owner) o`
  const statements = [
    `insert into credit_balance (id, lots, holds, debt, entry_count, entry_sum, last_entry) select owner, jsonb_build_array(
       jsonb_build_object('id', 'free', 'source', 'free', 'granted', 60, 'left', 0, 'lost', 0, 'expires_at', null,
         'closed', false)), '{}', 0, 3, 0, 2 from ${users}`,
    `insert into current_subscription (id, state, trial, cancelled, unclosed, tier)
     select owner, 'active', false, false, '[]', 'pro' from ${users}`,
    `insert into credit_entry (id, user_id, revision, kind, amount, reason, created_at)
     select md5('entry' || u || '.' || n)::uuid, owner, n, case n when 0 then 'grant' else 'spend' end,
       case n when 0 then 60 else -30 end, 'video', now() - interval '1 hour' * n from ${users}, generate_series(0, 2) n`,
    `insert into video_task (id, user_id, task_type, status, model, routes, duration, resolution, encrypted_prompt, camera_movements,
       prompt_optimizer, credits, credits_consumed, priority, created_at, started_at, finished_at, video_size, video_duration_ms)
     select md5('task' || u || '.' || n)::uuid, owner, 'text_to_video', 'Success', 'MiniMax-Hailuo-02', '[]', 6, '768P', repeat('p', 200),
       '[]', true, 30, 30, 4, at, at, at + interval '1 minute', 1000000, 5880
     from ${users}, generate_series(0, 1) n, lateral (select now() - interval '1 minute' * u - interval '1 hour' * n as at) t`,
  ]
  for (const statement of statements) await pool.query(statement, [from, to])
}

/** Inserts the entries of one user with revisions from `from` and below `to`, and counts them beside the balance. */
async function seedHistory(pool: pg.Pool, from: number, to: number): Promise<void> {
  await pool.query(
    `insert into credit_entry (id, user_id, revision, kind, amount, reason, created_at)
     select md5('own' || n)::uuid, $3, n, 'grant', 1, 'payment', now() from generate_series($1::int, $2::int - 1) n`,
    [from, to, LONG],
  )
  await pool.query(
    `insert into credit_balance (id, lots, holds, debt, entry_count, entry_sum, last_entry)
     values ($1, '[]', '{}', 0, $2::int, $2::int, $2::int - 1)
     on conflict (id) do update set entries = excluded.entries, entered = excluded.entered, last_entry = excluded.last_entry`,
    [LONG, to],
  )
}

/** Measures the reads of a user with ever more other users, and a page of the history of one user with ever more entries. */
export async function* measureUsers(sizes: readonly number[]): AsyncGenerator<Sample> {
  const db = await startCurveDatabase()
  const { pool, database } = db
  const { pid } = db.postgres.server
  const now = new Date().toISOString()
  try {
    for (const [n, size] of sizes.entries()) {
      await seedHistory(pool, sizes[n - 1] ?? 0, size)
      await settle(pool)
      yield { id: 'own_history', size, ...(await costEach(pid, () => readCreditEntries(database, LONG, PAGE))) }
    }
    // A user who owns a large part of the table would change the plans of the others.
    await pool.query('truncate credit_entry')
    for (const [n, size] of sizes.entries()) {
      await seedUsers(pool, sizes[n - 1] ?? 0, size)
      await settle(pool)
      const any = () => userId(1 + Math.floor(Math.random() * size))
      const reads = {
        works: () => listVideoTasks(database, any(), PAGE),
        history: () => readCreditEntries(database, any(), PAGE),
        stats: async () => {
          const user = any()
          await Promise.all([readCredits(database, user, now), readSubscription(database, user)])
        },
      }
      for (const [id, read] of Object.entries(reads)) yield { id, size, ...(await costEach(pid, read)) }
    }
  } finally {
    await db.close()
  }
}
