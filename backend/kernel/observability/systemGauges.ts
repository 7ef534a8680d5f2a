import type pg from 'pg'
import type { Metrics } from './metrics.ts'

/** Figures that every process reads alike from the database: alerts take the largest. Instants in epoch seconds. */
interface Figures {
  readonly holds: number
  readonly old_holds: number
  readonly oldest_hold: number | null
  readonly tasks: readonly { status: string; count: number }[]
  readonly stuck: number
  readonly late: number
  readonly subscribers: number
  readonly erasures: number
  readonly notices: number
  readonly oldest_notice: number | null
  readonly mails: number
  readonly first_mail: string | null
  readonly circuits: readonly { name: string; open: boolean; failures: number }[]
  readonly alerts: readonly string[]
}

/** A task may be made for half an hour and then fetched; one that is longer under way is not moving. */
const STUCK_AFTER_MS = 45 * 60_000
/** Six hours until its turn comes, and a little. */
const WAITS_AT_MOST_MS = 6.5 * 3_600_000
const HOUR_MS = 3_600_000

const SQL = `select
  (select count(*)::int from open_hold) as holds,
  (select count(*)::int from open_hold where held_at < $1) as old_holds,
  (select extract(epoch from min(held_at))::float8 from open_hold) as oldest_hold,
  (select coalesce(json_agg(t), '[]') from (select v.status, count(*)::int as count
     from open_task o join video_task v using (id) group by v.status) t) as tasks,
  (select count(*)::int from open_task o join video_task v using (id)
     where v.started_at < $2 or v.started_at is null and v.created_at < $3) as stuck,
  (select count(*)::int from late_render) as late,
  (select count(*)::int from current_subscription where unclosed <> '[]') as subscribers,
  (select count(*)::int from erasure where done_at is null) as erasures,
  (select count(*)::int from payment_notice where outcome is null) as notices,
  (select extract(epoch from min(received_at))::float8 from payment_notice where outcome is null) as oldest_notice,
  (select count(*)::int from outgoing_mail) as mails,
  (select min(id::text) from outgoing_mail) as first_mail,
  (select coalesce(json_agg(json_build_object('name', name, 'open', coalesce(blocked_until > now(), false), 'failures', failures)), '[]')
     from circuit) as circuits,
  (select coalesce(json_agg(code), '[]') from operator_alert where cleared_at is null) as alerts`

/** When a UUIDv7 was made, in epoch seconds. */
const madeAt = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) / 1000

/** @param calendar the time that credits live by; tasks, mails and notices live by the clock */
export function createSystemGauges(
  { gauge }: Metrics,
  pool: pg.Pool,
  { now, calendar }: { now: () => number; calendar: () => number },
) {
  const holds = gauge('kinora_open_holds', 'Credits set aside for a task that has not ended.')
  const oldHolds = gauge('kinora_open_holds_over_an_hour', 'Such holds that are older than an hour.')
  const oldestHold = gauge('kinora_oldest_hold_seconds', 'Age of the oldest of them; 0 without any.')
  const tasks = gauge('kinora_open_tasks', 'Tasks that have not ended.', ['status'])
  const stuck = gauge(
    'kinora_stuck_tasks',
    'Tasks made for longer than 45 minutes, or waiting for longer than 6.5 hours.',
  )
  const work = gauge('kinora_open_workflows', 'Workflows that the log and the tables call for.', ['workflow'])
  const oldestNotice = gauge(
    'kinora_oldest_webhook_seconds',
    'Age of the oldest payment notice that nobody has read to its end.',
  )
  const oldestMail = gauge('kinora_oldest_mail_seconds', 'Age of the oldest mail that is not delivered.')
  const circuits = gauge('kinora_circuit_open', '1 while nobody calls a service, because it is away.', ['circuit'])
  const failures = gauge('kinora_circuit_failures', 'Failures in a row of a service.', ['circuit'])
  const alerts = gauge('kinora_operator_alert', '1 for each thing that only the operator can put right.', ['code'])

  return async function collect(): Promise<void> {
    const at = [new Date(calendar() - HOUR_MS), new Date(now() - STUCK_AFTER_MS), new Date(now() - WAITS_AT_MOST_MS)]
    const { rows } = await pool.query<Figures>(SQL, at)
    const found = rows[0]!
    const age = (instant: number | null, clock = now) => (instant === null ? 0 : Math.max(0, clock() / 1000 - instant))
    holds.set(found.holds)
    oldHolds.set(found.old_holds)
    oldestHold.set(age(found.oldest_hold, calendar))
    for (const status of ['Preparing', 'Queueing', 'Processing', 'DOWNLOADING']) tasks.set({ status }, 0)
    for (const { status, count } of found.tasks) tasks.set({ status }, count)
    stuck.set(found.stuck)
    const open = found.tasks.reduce((sum, { count }) => sum + count, 0)
    work.set({ workflow: 'generateVideo' }, open)
    work.set({ workflow: 'recoverVideo' }, found.late)
    work.set({ workflow: 'keepTerm' }, found.subscribers)
    work.set({ workflow: 'takeNotice' }, found.notices)
    work.set({ workflow: 'deliverMail' }, found.mails)
    work.set({ workflow: 'eraseAccount' }, found.erasures)
    oldestNotice.set(age(found.oldest_notice))
    oldestMail.set(age(found.first_mail === null ? null : madeAt(found.first_mail)))
    circuits.reset()
    failures.reset()
    for (const { name, open, failures: count } of found.circuits) {
      circuits.set({ circuit: name }, open ? 1 : 0)
      failures.set({ circuit: name }, count)
    }
    alerts.reset()
    for (const code of found.alerts) alerts.set({ code }, 1)
  }
}
