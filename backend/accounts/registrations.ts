import type pg from 'pg'

export interface Registrations {
  readonly total: number
  readonly verified: number
  readonly today: number
  readonly yesterday: number
  readonly daily: { date: string; count: number }[]
}

/**
 * Returns the number of accounts that exist, and how many of them were registered on each day from `from` to `to`. Days
 * are ISO dates in the operator's time zone.
 */
export async function readRegistrations(
  pool: Pick<pg.ClientBase, 'query'>,
  today: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Registrations> {
  const { rows } = await pool.query<Registrations>({
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
}

/**
 * Counts the registrations of each day again, in another time zone, within the caller's transaction. New registrations
 * wait until it ends. Between calls, a trigger on `user_account` keeps the counts.
 */
export async function recountRegistrations(tx: Pick<pg.ClientBase, 'query'>, timeZone: string): Promise<void> {
  await tx.query('lock table registration_day in share row exclusive mode')
  await tx.query('delete from registration_day')
  await tx.query(
    `insert into registration_day select (created_at at time zone $1)::date, count(*), count(email_verified_at)
     from user_account group by 1`,
    [timeZone],
  )
}
