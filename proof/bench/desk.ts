import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Found, Person } from '#backend/desk/contract.ts'
import { buyPlan } from '#backend/testing/plans.ts'
import { startProgram } from '#backend/testing/program.ts'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'
import { GENERATION, registerUser, visitor } from '#backend/testing/testUser.ts'
import { quantile } from './analytics/quantile.ts'
import { record } from './table/record.ts'

/**
 * Measures the search and the person's page of the desk among 100,000 users, ten times as many ledger events and page views:
 * `npm run bench -- desk [users]`. People whose pages are read are made through the API; the others only fill the tables.
 */
const users = Number(process.argv[2] ?? 100_000)
const PEOPLE = 20
const READS = 200
const OPERATOR = { username: 'operator', password: 'a wall of numbers' }

const db = await startTemporaryDatabase()
const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-bench-'))
const program = await startProgram(
  {
    ...{ PORT: '0', DATA_DIR: folder, DATABASE_URL: db.url, SESSION_RATE: '1000000', NETWORK_RATE: '1000000' },
    ...{ OPERATOR_USERNAME: OPERATOR.username, OPERATOR_PASSWORD: OPERATOR.password },
  },
  path.join(import.meta.dirname, 'http/endlessProgram.ts'),
)

const people: { userId: string; email: string; sale: string }[] = []
for (let n = 0; n < PEOPLE; n++) {
  const user = await registerUser(program.url)
  await buyPlan(program, user, 'pro')
  for (let video = 0; video < 3; video++) await user.call('POST', '/videos/generate', GENERATION)
  const answer = await user.call('GET', '/subscriptions/invoices')
  const { invoices } = (await answer.json()) as { invoices: { payment: string }[] }
  people.push({ userId: user.userId, email: user.email, sale: invoices[0]!.payment })
}

/** Statements that fill the tables. `$1`: the number of users. Ids of users are derived from their numbers. */
const FILL = [
  `insert into user_account (id, email, identity, full_name, language, password_hash, email_verified_at, created_at)
   select md5('user' || n)::uuid, 'u' || n || '@bulk.test', 'u' || n || '@bulk.test',
     case when n % 7 = 0 then 'Test User' else 'Person ' || n end, 'en', 'none', now(), now() - n * interval '1 minute'
   from generate_series(1, $1::int) n`,
  `insert into event (position, stream, revision, id, type, data, meta, created)
   select (select max(position) from event) + n, 'benchAccount-' || md5('user' || n / 10), n % 10, gen_random_uuid(),
     'CreditsHeld', jsonb_build_object('userId', md5('user' || n / 10), 'parts', '[{"lotId":"a","amount":30}]'::jsonb), '{}', now()
   from generate_series(10, $1::int * 10) n`,
  `insert into credit_entry (id, user_id, revision, kind, amount, reason, created_at)
   select gen_random_uuid(), md5('user' || 1 + n / 10)::uuid, n % 10, 'spend', -30, 'video', now() - n * interval '1 second'
   from generate_series(0, $1::int * 10 - 1) n`,
  `insert into credit_balance (id, lots, holds, entry_count, entry_sum, last_entry)
   select md5('user' || n)::uuid, '[]', '{}', 10, -300, 9 from generate_series(1, $1::int) n`,
  `insert into video_task (id, user_id, task_type, status, model, duration, resolution, encrypted_prompt, camera_movements,
     prompt_optimizer, routes, credits, credits_consumed, priority, created_at)
   select gen_random_uuid(), md5('user' || 1 + n / 3)::uuid, 'text_to_video', 'Success', 'demo', 6, '768P', 'sealed', '[]',
     true, '[]', 30, 30, 1, now() - n * interval '1 second'
   from generate_series(0, $1::int * 3 - 1) n`,
  `insert into invoice (id, user_id, sale_id, agreement_id, tier, amount_cents, refunded_cents, currency, credits, period_start, period_end)
   select gen_random_uuid(), md5('user' || n)::uuid, 'BULK' || n, 'A' || n, 'pro', 4499, 0, 'USD', 4500, now(), now()
   from generate_series(1, $1::int) n`,
  `insert into security_record (at, user_id, event) select now(), md5('user' || 1 + n / 5)::uuid, 'signed_in'
   from generate_series(0, $1::int * 5 - 1) n`,
  `insert into sent_mail (id, user_id, at, subject) select gen_random_uuid(), md5('user' || 1 + n / 3)::uuid, now(), 'A mail'
   from generate_series(0, $1::int * 3 - 1) n`,
  `insert into desk_action (id, kind, subject, user_id, amount, reason, operator, status, asked_at)
   select gen_random_uuid(), 'grant', md5('user' || n), md5('user' || n)::uuid, 5, 'a remedy', 'operator', 'done', now()
   from generate_series(1, $1::int) n`,
  `insert into page_view (at, event_type, path, status_code, bot, visitor, user_id)
   select now(), 'view', '/workspace', 200, false, gen_random_uuid(), md5('user' || 1 + n / 10)::uuid
   from generate_series(0, $1::int * 10 - 1) n`,
]
await db.pool.query('select page_view_partition(current_date)')
for (const sql of FILL) await db.pool.query(sql, [users])
await db.pool.query('vacuum analyze')

const login = await visitor(program.url).post('/analytics/login', OPERATOR)
const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
async function read<T>(route: string): Promise<T> {
  const answer = await fetch(`${program.url}/api/v1/desk${route}`, { headers: { cookie } })
  if (answer.status !== 200) throw new Error(`${route}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

/** Returns the 95th percentile of the duration of reads, ms. */
async function p95(ask: (n: number) => Promise<boolean>): Promise<number> {
  const durations: number[] = []
  for (let n = 0; n < READS; n++) {
    const begun = performance.now()
    if (!(await ask(n))) throw new Error('The read found nothing.')
    durations.push(performance.now() - begun)
  }
  return quantile(durations, 0.95)
}

const some = (n: number) => people[n % PEOPLE]!
/** What an operator types: an address, its start, a name that many have, an id, a payment. */
const queries = [
  (n: number) => some(n).email,
  (n: number) => `u${(n * 7_919) % users}`,
  () => 'test user',
  (n: number) => some(n).userId,
  (n: number) => some(n).sale,
]
const search = await p95(async (n) => {
  const q = queries[n % queries.length]!(n)
  return (await read<{ results: Found[] }>(`/search?${new URLSearchParams({ q })}`)).results.length > 0
})
const person = await p95(
  async (n) => (await read<{ person: Person }>(`/people/${some(n).userId}`)).person.balance.total > 0,
)
console.log(`search among ${users} users: p95 ${search.toFixed(1)} ms; person: p95 ${person.toFixed(1)} ms`)
record('desk_search', search)
record('desk_person', person)
await program.stop()
await db.close()
rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
