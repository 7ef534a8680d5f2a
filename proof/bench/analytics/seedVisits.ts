import type pg from 'pg'
import { recountRegistrations } from '#backend/accounts/readUsers.ts'
import { recountVisits } from '#backend/analytics/countVisits.ts'
import { inTransaction } from '#backend/kernel/postgres/inTransaction.ts'

/**
 * Real pages of the site; generated ones follow. Visits follow Zipf's law: page n has 1/n of the first page's visits.
 */
const PAGES = [
  '/',
  '/zh',
  '/faq',
  '/auth/login',
  '/workspace',
  '/auth/register',
  '/profile',
  '/zh/faq',
  '/privacy',
  '/terms',
]
const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
]

/** Returns paths and their cumulative shares of visits. */
function zipf(pages: number): [string[], number[]] {
  const shares = Array.from({ length: pages }, (_, n) => 1 / (n + 1))
  const all = shares.reduce((sum, share) => sum + share)
  let upTo = 0
  const ends = shares.map((share) => (upTo += share / all))
  return [shares.map((_, n) => PAGES[n] ?? `/clips/${n}`), ends.slice(0, -1)]
}

export interface Seeded {
  readonly views: number
  readonly users: number
}

/**
 * Inserts visits and registrations of the 90 days before `now`, generated in the database from a fixed seed. Sessions
 * have one to nine pages and are more frequent by day than at night and on weekdays than at weekends. One in twenty is
 * by a bot. Every other page has an unload event.
 */
export async function seedVisits(
  pool: pg.Pool,
  { views, users }: Seeded,
  now: number,
  timeZone: string,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('select setseed(0.42)')
    await client.query(
      `select page_view_partition(day::date) from generate_series($1::timestamptz - interval '90 days', $1, '1 day') day`,
      [new Date(now)],
    )
    // A session has 3.6 pages on average.
    await client.query(
      `create temporary table visit_session on commit drop as
       select s as n, gen_random_uuid()::text as id, 1 + floor(8.9 * power(random(), 2))::int as pages,
         $1::timestamptz - interval '1 minute' - (interval '1 day' * (89 * random())) as day,
         ($2::text[])[case when random() < 0.05 then 5 else 1 + floor(4 * power(random(), 1.5))::int end] as agent,
         ('198.' || floor(random() * 256) || '.' || floor(random() * 256) || '.' || floor(random() * 256))::inet as ip
       from generate_series(1, $3::int) s`,
      [new Date(now), AGENTS, Math.ceil(views / 3.3)],
    )
    await client.query(
      `insert into page_view (at, event_type, path, status_code, bot, visitor, session_id, referrer, user_agent, ip)
       select at, 'page_view', ($3::text[])[1 + width_bucket(pick, $4::float8[])],
         case when pick > 0.99 then 404 else 200 end, agent like '%bot%',
         left(encode(sha256(convert_to(id, 'UTF8')), 'hex'), 32)::uuid, id, 'https://search.example/', agent,
         case when at > $1::timestamptz - interval '1 day' then ip else network(set_masklen(ip, 24)) end
       from (select *, random() as pick, day + interval '40 seconds' * step * random() as at
             from visit_session, generate_series(1, pages) step limit $2) visit
       where at < $1 order by at`,
      [new Date(now), views, ...zipf(300)],
    )
    await client.query(
      `insert into user_account (id, email, identity, full_name, language, password_hash, email_verified_at, created_at)
       select gen_random_uuid(), 'seed' || n || '@kinora.test', 'seed' || n || '@kinora.test', 'Seed ' || n, 'en', '-',
         case when random() < 0.7 then at end, at
       from (select n, $1::timestamptz - interval '1 day' * 90 * random() as at from generate_series(1, $2::int) n) u
       on conflict do nothing`,
      [new Date(now), users],
    )
  })
  await pool.query('analyze page_view')
  await recountVisits(pool, timeZone, recountRegistrations)
  await pool.query(
    'vacuum analyze traffic_day, traffic_hour, traffic_page, day_visitor, registration_day, user_account',
  )
}
