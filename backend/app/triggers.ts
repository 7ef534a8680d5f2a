import { setTimeout as delay } from 'node:timers/promises'
import { readOpenRedemptions } from '#projections/codes/readCodes.ts'
import { readOpenBulks } from '#projections/desk/readBulks.ts'
import { readDueActions, readOpenActions } from '#projections/desk/readDeskActions.ts'
import { invoiceDocuments } from '#projections/subscriptions/invoiceDocument.ts'
import { readSubscribers } from '#projections/subscriptions/readSubscription.ts'
import { readOpenGenerations, readOpenRecoveries } from '#projections/tasks/readOpenWork.ts'
import { readUnstarted } from '#projections/tasks/readTaskHealth.ts'
import { readOpenTeamChanges, readTeamOwners } from '#projections/teams/readTeams.ts'
import { erasureTrigger, mailTrigger } from '#workflows/accounts/accountTriggers.ts'
import { sweepVisits } from '#workflows/analytics/sweepVisits.workflow.ts'
import { codeTrigger } from '#workflows/credits/codeTrigger.ts'
import { grantAllowances } from '#workflows/credits/grantAllowances.workflow.ts'
import { bulkTrigger, deskTrigger, dueActionTrigger } from '#workflows/desk/deskTrigger.ts'
import type { Engine } from '#workflows/engine/engine.port.ts'
import { runLogTriggers } from '#workflows/engine/logTriggers.ts'
import { runRowTriggers } from '#workflows/engine/rowTriggers.ts'
import { invoiceTrigger } from '#workflows/invoices/invoiceTrigger.ts'
import { reconcile } from '#workflows/subscriptions/reconcile.workflow.ts'
import { subscriptionTrigger, wakeSubscription, webhookTrigger } from '#workflows/subscriptions/subscriptionTriggers.ts'
import { HINT, recoverVideo } from '#workflows/tasks/recoverVideo.workflow.ts'
import { createSettleIfEnded } from '#workflows/tasks/settleIfEnded.ts'
import { sweepHolds } from '#workflows/tasks/sweepHolds.workflow.ts'
import { sweepUploads } from '#workflows/tasks/sweepUploads.workflow.ts'
import { generationTrigger, recoveryTrigger, removalTrigger } from '#workflows/tasks/taskTriggers.ts'
import { teamMailTrigger, teamPlanTrigger, teamTrigger } from '#workflows/teams/teamTriggers.ts'
import { ERASURES } from '../accounts/erasures.ts'
import { OUTGOING_MAILS } from '../accounts/mails/outbox.ts'
import { CREDIT_ACCOUNT } from '../credits/events.ts'
import { bySystem, type CommandContext } from '../kernel/eventsourcing/command.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { MOVED_CLOCK } from '../kernel/postgres/calendar.ts'
import { RELISTENED } from '../kernel/postgres/changes.ts'
import type { Running } from '../kernel/postgres/leased.ts'
import { PAYMENT_WEBHOOKS } from '../subscriptions/webhooks/webhookInbox.ts'
import { RENDER_LANE } from '../tasks/events.ts'
import { MEDIA_REMOVALS } from '../tasks/mediaRemovals.ts'
import { PROVIDER_HINTS } from '../tasks/providerCallbacks.ts'
import type { Context } from './context.ts'
import type { openInvoicing } from './invoicing.ts'
import type { Services } from './services.ts'

/** Notifications after which a row may be waiting for a workflow. */
const ROWS_CHANGED = [
  MOVED_CLOCK,
  OUTGOING_MAILS,
  ERASURES,
  PAYMENT_WEBHOOKS,
  MEDIA_REMOVALS,
  RELISTENED,
  invoiceDocuments.name,
]
const SWEEP_HOLDS_MS = 15_000
const SWEEP_VISITS_MS = 10 * 60_000
const SWEEP_UPLOADS_MS = 60 * 60_000
const WATCH_STARTS_MS = 10_000
const GRANT_ALLOWANCES_MS = 5 * 60_000
const RECONCILE_MS = 24 * 60 * 60_000

type TriggerServices = Services & {
  readonly invoices: ReturnType<typeof openInvoicing>
  readonly carryOut: (actionId: string) => Promise<void>
  readonly mailDeparted: (teamId: string) => Promise<void>
}

/** Starts workflows for events, queued rows and calendar moves, and on schedules. */
export function startTriggers(
  { database, store, handle, calendar, clock, log, changes }: Context,
  { credits, outbox, erasures, webhooks, removals, invoices, teams, teamRows, mailDeparted, carryOut }: TriggerServices,
  activities: Parameters<typeof createSettleIfEnded>[1],
  engine: Engine,
): Running {
  const halt = new AbortController()
  const { signal } = halt
  const onError = (error: unknown, failed?: number) =>
    log.error({ err: error, failed }, 'workflow triggers failed, retrying')
  const logTriggers = runLogTriggers({
    store,
    engine,
    triggers: [
      generationTrigger(() => readOpenGenerations(database), createSettleIfEnded(handle, activities)),
      recoveryTrigger(() => readOpenRecoveries(database)),
      subscriptionTrigger(() => readSubscribers(database)),
      codeTrigger(() => readOpenRedemptions(database), credits.grantCode),
      deskTrigger(() => readOpenActions(database), carryOut),
      bulkTrigger(() => readOpenBulks(database)),
      teamTrigger(() => readOpenTeamChanges(database), teams.retell),
      teamMailTrigger(async () => {
        const { upTo } = await readOpenTeamChanges(database)
        return { upTo, items: await teamRows.ids() }
      }, mailDeparted),
      teamPlanTrigger(
        () => readTeamOwners(database),
        (userId) => teams.closeWithoutPlan(userId, newContext(userId)),
      ),
    ],
    signal,
    onError,
  })
  const following = retry(() => followSharedStreams({ store, handle }, signal), onError, signal)
  const rowTriggers = runRowTriggers({
    engine,
    triggers: [
      mailTrigger(outbox.queued),
      erasureTrigger(erasures.waiting),
      webhookTrigger(webhooks.waiting),
      removalTrigger(removals.waiting),
      invoiceTrigger(invoices.invoicing.isDue),
      dueActionTrigger(() => readDueActions(database, new Date(calendar())), carryOut),
    ],
    onChange: (listener) => changes.subscribe(({ name }) => void (ROWS_CHANGED.includes(name) && listener())),
    signal,
    onError,
  })
  const recheckSubscriptions = async () => {
    for (const userId of (await readSubscribers(database)).items) await wakeSubscription(engine, userId)
    await engine.start(reconcile, {})
    await engine.start(grantAllowances, {})
    await engine.start(sweepVisits, {})
  }
  const unsubscribe = changes.subscribe(({ name, ids }) => {
    if (name === MOVED_CLOCK) void recheckSubscriptions().catch(onError)
    if (name === PROVIDER_HINTS)
      for (const taskId of ids) void engine.signal(recoverVideo, { taskId }, HINT).catch(onError)
  })
  const watch = setInterval(() => void warnOfBacklog({ database, clock, log }).catch(onError), WATCH_STARTS_MS)
  return {
    started: retry(() => startSchedules(engine), onError, signal),
    async stop() {
      halt.abort()
      clearInterval(watch)
      unsubscribe()
      await Promise.all([logTriggers, rowTriggers, following])
    },
  }
}

/** Keeps the accounts and lanes current that this process has read: processes with the API append to them, too. */
async function followSharedStreams({ store, handle }: Pick<Context, 'store' | 'handle'>, signal: AbortSignal) {
  const shared = { name: 'shared streams', streamPrefixes: [`${CREDIT_ACCOUNT}-`, `${RENDER_LANE}-`] } as const
  for await (const { events } of store.subscribeAll({ ...shared, from: await store.head(), signal }))
    for (const event of events) handle.follow(event)
}

async function warnOfBacklog({ database, clock, log }: Pick<Context, 'database' | 'clock' | 'log'>): Promise<void> {
  const { count, since } = await readUnstarted(database)
  const ageMs = since === null ? 0 : clock() - since * 1_000
  if (ageMs > WATCH_STARTS_MS) log.warn({ unstarted: count, ageMs: Math.round(ageMs) }, 'workflow starts are behind')
}

/** Returns the context of a command that one user's team may get several times. */
const newContext = (userId: string): CommandContext => ({ ...bySystem('plan ended', userId), commandId: uuid7() })

/** Sweeps holds once, then starts the schedules. */
async function startSchedules(engine: Engine): Promise<void> {
  await engine.start(sweepHolds, {})
  await engine.result(sweepHolds, {})
  await engine.schedule(sweepHolds, SWEEP_HOLDS_MS)
  await engine.schedule(sweepUploads, SWEEP_UPLOADS_MS)
  await engine.schedule(sweepVisits, SWEEP_VISITS_MS)
  await engine.schedule(grantAllowances, GRANT_ALLOWANCES_MS)
  // Processes that are restarted every day would never reconcile: the embedded engine counts from its start.
  await engine.start(reconcile, {})
  await engine.schedule(reconcile, RECONCILE_MS)
}

/** Retries every second until the work succeeds or the signal aborts. */
async function retry(work: () => Promise<void>, onError: (error: unknown) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await work()
    } catch (error) {
      onError(error)
      await delay(1_000, undefined, { signal }).catch(() => {})
    }
  }
}
