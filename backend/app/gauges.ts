import { readBalances } from '#projections/credits/readCredits.ts'
import { readOpenHolds } from '#projections/credits/readOpenHolds.ts'
import { countParked } from '#projections/engine/readParked.ts'
import { readOpenSubscriptionCount, readUnpaidSubscriptionCount } from '#projections/subscriptions/readSubscription.ts'
import { readOpenTaskCounts, readOutcomesSince, readUnstarted } from '#projections/tasks/readTaskHealth.ts'
import { countErasures } from '../accounts/accountGauges.ts'
import { readHeadAge } from '../audit/heads/startHeads.ts'
import { readBackupState, unprovenSince } from '../backups/backupState.ts'
import { ledgerCollector } from '../credits/ledgerWatch.ts'
import { createOutbox } from '../kernel/outbox/outbox.ts'
import type { Calendar, Clock } from '../kernel/time.ts'
import { readOpenAlerts } from '../operators/alerts/operatorAlerts.ts'
import { readCircuitBreakers } from '../providers/video/protection/circuitBreaker.ts'
import { readWebhookBacklog } from '../subscriptions/webhooks/webhookInbox.ts'
import type { Context } from './context.ts'
import { VERSION } from './version.ts'

const HOUR_MS = 3_600_000
/** Processing time after which a task is stuck: the 30-minute rendering limit plus time for the download. */
const STUCK_AFTER_MS = 45 * 60_000
/** Waiting time after which a task is stuck: half an hour more than the six-hour limit. */
const MAX_WAITING_MS = 6.5 * HOUR_MS

const age = (epochSeconds: number | null, time: Clock | Calendar) =>
  epochSeconds === null ? 0 : Math.max(0, time() / 1000 - epochSeconds)

/**
 * Registers the gauges that are read from the database. Every process reports the same values, so alerts use the
 * maximum. Only quarantined streams are counted by each process for itself.
 */
export function registerGauges(context: Context): void {
  context.observability.metrics
    .gauge('kinora_build_info', 'Release of the process; always 1.', ['version'])
    .set({ version: VERSION }, 1)
  registerCredits(context)
  registerVideos(context)
  registerWorkflows(context)
  registerTrouble(context)
  registerProofs(context)
}

function registerCredits({ database, calendar, observability: { metrics, onCollect } }: Context): void {
  const { gauge } = metrics
  const holds = gauge('kinora_open_holds', 'Credits held for a task that has not ended.')
  const oldHolds = gauge('kinora_open_holds_over_an_hour', 'Open holds older than an hour.')
  const oldestHold = gauge('kinora_oldest_hold_seconds', 'Age of the oldest open hold; 0 without any.')
  onCollect(async () => {
    const { count, old, oldestAt } = await readOpenHolds(database, new Date(calendar() - HOUR_MS))
    holds.set(count)
    oldHolds.set(old)
    oldestHold.set(age(oldestAt, calendar))
  })
}

function registerVideos({ database, clock, observability: { metrics, onCollect } }: Context): void {
  const { gauge } = metrics
  const unstarted = gauge('kinora_unstarted_tasks', 'Accepted tasks whose workflow has not started.')
  const oldestUnstarted = gauge(
    'kinora_oldest_unstarted_task_age_seconds',
    'Age of the oldest accepted task whose workflow has not started; 0 without any.',
  )
  onCollect(async () => {
    const { count, since } = await readUnstarted(database)
    unstarted.set(count)
    oldestUnstarted.set(age(since, clock))
  })

  const ended = gauge('kinora_recent_videos', 'Videos that were delivered or failed in the last hour.')
  const failed = gauge('kinora_recent_failed_videos', 'Those that failed for no fault of the user or the content.')
  onCollect(async () => {
    const recent = await readOutcomesSince(database, new Date(clock() - HOUR_MS))
    ended.set(recent.videos)
    failed.set(recent.failed)
  })
}

/** Registers what workflows must do. The `workflow` labels keep the workflows' original names. */
function registerWorkflows({ pool, database, clock, observability: { metrics, onCollect } }: Context): void {
  const { gauge } = metrics
  const workflows = gauge('kinora_open_workflows', 'Workflows that the log and the tables require.', ['workflow'])
  const tasks = gauge('kinora_open_tasks', 'Tasks that have not ended.', ['status'])
  const stuck = gauge('kinora_stuck_tasks', 'Tasks processed for over 45 minutes, or waiting for over 6.5 hours.')
  onCollect(async () => {
    const [started, waiting] = [new Date(clock() - STUCK_AFTER_MS), new Date(clock() - MAX_WAITING_MS)]
    const open = await readOpenTaskCounts(database, { started, waiting })
    for (const status of ['Preparing', 'Queueing', 'Processing', 'DOWNLOADING']) tasks.set({ status }, 0)
    for (const { status, count } of open.statuses) tasks.set({ status }, count)
    stuck.set(open.stuck)
    const total = open.statuses.reduce((sum, { count }) => sum + count, 0)
    workflows.set({ workflow: 'generateVideo' }, total)
    workflows.set({ workflow: 'recoverVideo' }, open.late)
  })

  const unpaid = gauge(
    'kinora_unpaid_subscriptions',
    'Plans whose last payment failed and that are in their days of grace.',
  )
  onCollect(async () => {
    workflows.set({ workflow: 'runSubscriptionLifecycle' }, await readOpenSubscriptionCount(database))
    unpaid.set(await readUnpaidSubscriptionCount(database))
  })

  const oldestWebhook = gauge('kinora_oldest_webhook_seconds', 'Age of the oldest unprocessed payment webhook.')
  onCollect(async () => {
    const { waiting, oldestAt } = await readWebhookBacklog(pool)
    workflows.set({ workflow: 'processWebhook' }, waiting)
    oldestWebhook.set(age(oldestAt, clock))
  })

  const oldestMail = gauge('kinora_oldest_mail_seconds', 'Age of the oldest undelivered mail.')
  onCollect(async () => {
    const { waiting, oldestAt } = await createOutbox(pool, clock).backlog('mail')
    workflows.set({ workflow: 'deliverMail' }, waiting)
    workflows.set({ workflow: 'eraseAccount' }, await countErasures(pool))
    oldestMail.set(age(oldestAt && oldestAt.getTime() / 1_000, clock))
  })
}

function registerTrouble({ pool, database, quarantine, observability: { metrics, onCollect } }: Context): void {
  const { gauge } = metrics
  const open = gauge('kinora_circuit_open', '1 while the circuit breaker of a service blocks calls.', ['circuit'])
  const failures = gauge('kinora_circuit_failures', 'Consecutive failures of a service.', ['circuit'])
  onCollect(async () => {
    const circuits = await readCircuitBreakers(pool)
    open.reset()
    failures.reset()
    for (const circuit of circuits) {
      open.set({ circuit: circuit.name }, circuit.open ? 1 : 0)
      failures.set({ circuit: circuit.name }, circuit.failures)
    }
  })

  const parked = gauge('kinora_parked_events', 'Events that a read model could not project.', ['projection'])
  onCollect(async () => {
    const counts = await countParked(database)
    parked.reset()
    for (const { projection, count } of counts) parked.set({ projection }, count)
  })

  const alerts = gauge('kinora_operator_alert', '1 for each open operator alert.', ['code'])
  onCollect(async () => {
    const codes = await readOpenAlerts(pool)
    alerts.reset()
    for (const { code } of codes) alerts.set({ code }, 1)
  })

  const quarantined = gauge('kinora_quarantined_streams', 'Streams whose commands are refused.', ['reason'])
  onCollect(() => {
    for (const reason of ['broken', 'unsound', 'newer'] as const) quarantined.set({ reason }, quarantine.count(reason))
  })
}

/** Registers what proves the ledger and its backups. */
function registerProofs({ pool, database, config, log, observability: { metrics, onCollect } }: Context): void {
  const { gauge } = metrics
  const headAge = gauge(
    'kinora_ledger_head_age_seconds',
    'Time since the newest signed head included the whole ledger.',
  )
  onCollect(async () => headAge.set(await readHeadAge(pool)))

  if (config.backup) {
    const proven = gauge('kinora_backup_proven_timestamp_seconds', 'When a backup was last proven restorable.')
    onCollect(async () => proven.set(unprovenSince(await readBackupState(pool)).getTime() / 1000))
  }

  onCollect(ledgerCollector(metrics, (page) => readBalances(database, page), log))
}
