import type pg from 'pg'
import type { Days } from './period.ts'

export interface ListedUser {
  readonly id: string
  readonly email: string
  readonly created_at: string | null
  readonly email_verified: boolean
}

/** Who has registered, counted by day as accounts come, are verified and go. */
export function createUserFigures(pool: Pick<pg.Pool, 'query'>) {
  return {
    async overview(today: string, { from, to }: Days) {
      const { rows } = await pool.query<{
        total: number
        verified: number
        today: number
        yesterday: number
        daily: { date: string; count: number }[]
      }>({
        name: 'board-registrations',
        text: `select coalesce(sum(registered), 0)::int as total, coalesce(sum(verified), 0)::int as verified,
            coalesce(sum(registered) filter (where day = $1::date), 0)::int as today,
            coalesce(sum(registered) filter (where day = $1::date - 1), 0)::int as yesterday,
            (select json_agg(d) from (
               select s.day::date::text as date, coalesce(registered, 0) as count
               from generate_series($2::date, $3::date, '1 day') s (day)
               left join registration_day r on r.day = s.day::date order by s.day) d) as daily
          from registration_day`,
        values: [today, from, to],
      })
      return rows[0]!
    },

    /** The newest first, and how many there are in all. */
    async list(page: number, perPage: number) {
      const { rows } = await pool.query<{ total: number; users: ListedUser[] }>({
        name: 'board-users',
        text: `select (select coalesce(sum(registered), 0)::int from registration_day) as total,
          (select coalesce(json_agg(u), '[]') from (
             select id, email, created_at, email_verified_at is not null as email_verified
             from user_account order by created_at desc, id desc limit $1 offset $2) u) as users`,
        values: [perPage, (page - 1) * perPage],
      })
      return rows[0]!
    },
  }
}

export type UserFigures = ReturnType<typeof createUserFigures>
