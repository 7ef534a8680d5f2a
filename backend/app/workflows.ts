import { setTimeout as delay } from 'node:timers/promises'
import { readCredits, readExpired } from '#projections/credits/readCredits.ts'
import { readOldHolds } from '#projections/credits/readOpenHolds.ts'
import { readOrdersWithoutFee } from '#projections/subscriptions/readMoney.ts'
import { readBuyer, readOpenAgreements } from '#projections/subscriptions/readSubscription.ts'
import { readOpenGenerations } from '#projections/tasks/readOpenWork.ts'
import { showProgress } from '#projections/tasks/renderProgress.ts'
import { createActivities } from '#workflows/activities.ts'
import type { Engine } from '#workflows/engine/engine.port.ts'
import type { SubscriptionActivityDeps } from '#workflows/subscriptions/subscriptionActivities.ts'
import { createKeyMails } from '../accounts/mails/keyMails.ts'
import { createReminders } from '../accounts/mails/reminders.ts'
import { createTeamMails } from '../accounts/mails/teamMails.ts'
import { deleteOldSecurityRecords } from '../accounts/security/securityLog.ts'
import { deleteOldSessions } from '../accounts/sessions/sessions.ts'
import { removeExpiredStarts } from '../accounts/start/startDrafts.ts'
import { createVisitRetention } from '../analytics/visitRetention.ts'
import { filmAssertion } from '../audit/receipts/filmAssertion.ts'
import { removePartials } from '../backups/removePartials.ts'
import { createLowCreditMails } from '../credits/lowCreditMails.ts'
import { localDayOf } from '../kernel/days.ts'
import { bySystem } from '../kernel/eventsourcing/command.ts'
import { uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { deleteExpiredIdempotencyKeys } from '../kernel/http/idempotency.ts'
import { imageKey } from '../kernel/media/mediaStore.port.ts'
import { instrumentActivities } from '../kernel/observability/instrument.ts'
import { leased, type Running } from '../kernel/postgres/leased.ts'
import { createOperatorAlerts } from '../operators/alerts/operatorAlerts.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'
import { deleteOldRequests } from '../tasks/downloads/visibleLabels.ts'
import { VIDEO_TASK } from '../tasks/events.ts'
import { deleteOldQuotes } from '../tasks/mcp/quotes.ts'
import { waitForCallback } from '../tasks/providerCallbacks.ts'
import { deleteOldOrders } from '../tasks/v1/repeats.ts'
import { readDepartures } from '../teams/departures.ts'
import type { Adapters } from './adapters.ts'
import type { Context } from './context.ts'
import { openCarryOut } from './desk.ts'
import { openEngine } from './engine.ts'
import { openInvoicing } from './invoicing.ts'
import type { Services } from './services.ts'
import { startTriggers } from './triggers.ts'
import { usersWithoutAllowance } from './usersWithoutAllowance.ts'
import { renderSlots } from './video/capacity.ts'

type Invoices = ReturnType<typeof openInvoicing>

/** Activity results that have their own metric label. */
const OUTCOMES = [
  'claimed',
  'waiting',
  'finished',
  'failed',
  'settled',
  'over',
  'pending',
  'processed',
  'later',
] as const

/**
 * Runs the workflow engine, its activities, and the triggers that start workflows.
 * @param lease fencing token of the embedded engine's lease; Temporal needs none
 */
export function startWorkflows(
  context: Context,
  adapters: Adapters,
  services: Services,
  publicUrl: () => string,
  lease?: number,
): Running {
  const { config, findOrigin, leases, observability } = context
  context.changes.hear()
  const invoices = openInvoicing(context, services, publicUrl)
  const carryOut = openCarryOut(context, adapters, services, publicUrl)
  const activities = activitiesOf(context, adapters, { ...services, invoices }, publicUrl, lease, async (...args) =>
    (await opened).engine.signal(...args),
  )
  const watched = instrumentActivities(
    observability.metrics,
    activities,
    OUTCOMES,
    async (taskId) => (await findOrigin(`${VIDEO_TASK}-${taskId}`))?.correlationId,
  )
  const opened = openEngine(context, () => renderSlots(adapters.videos), watched).then((engine) => {
    const { outbox, teamRows } = services
    const departures = (teamId: string) => readDepartures(context.store, teamId)
    const mailDeparted = createTeamMails({ ...context, outbox, publicUrl, read: teamRows.read, departures })
    const triggers = () => startTriggers(context, { ...services, invoices, carryOut, mailDeparted }, watched, engine)
    // Temporal has many workers, but only one process should start workflows.
    return { engine, triggers: config.temporal ? leased(leases, 'triggers', triggers) : triggers() }
  })
  return {
    started: opened.then(({ triggers }) => triggers.started),
    reachable: async () => (await opened).engine.reachable?.() ?? true,
    async stop() {
      const { engine, triggers } = await opened
      // In parallel: an engine that has lost its server fails its pending calls only when it stops.
      await Promise.all([triggers.stop(), engine.stop()])
    },
  }
}

function activitiesOf(
  context: Context,
  { marker, media, payments, videos }: Adapters,
  services: Services & { readonly invoices: Invoices },
  publicUrl: () => string,
  lease: number | undefined,
  signal: Engine['signal'],
) {
  const { calendar, changes, clock, config, database, handle, log, findOrigin, pool, store, temporaryDir } = context
  const { allowance, copies, credits, erasures, isErased, outbox, removals, uploads, userKeys, webhooks } = services
  return createActivities({
    ...subscriptionDeps(context, services, publicUrl),
    store,
    handle,
    lease,
    findOrigin,
    monthlyCredits: config.payments.monthlyCredits,
    usersWithoutAllowance: () => usersWithoutAllowance(context),
    credits,
    payments,
    inbox: webhooks,
    outbox,
    erasures,
    removals,
    providers: videos,
    media,
    marker,
    assertionOf: (film) =>
      filmAssertion({ store, pool, database, publicUrl }, film).catch((err) => {
        log.warn({ err, taskId: film.taskId }, 'charge of film unreadable, signing without it')
        return undefined
      }),
    prepareCopies: (film) =>
      copies.prepare(film).catch((err) => log.warn({ err, taskId: film.id }, 'copies of video not prepared')),
    calendar,
    clock,
    delay: (ms, signal) => delay(ms, undefined, { signal }),
    temporaryDir,
    ffmpegPath: config.video.ffmpegPath,
    decrypt: userKeys.decrypt,
    concurrentLimit: async (userId) => ((await isErased(userId)) ? 0 : (await allowance(userId)).concurrent),
    holdsOlderThan: async (ms) => {
      const { items } = await readOpenGenerations(database)
      const taskIds = items.map(({ taskId }) => taskId)
      return readOldHolds(database, new Date(calendar() - ms), taskIds)
    },
    showProgress: (taskId, progress) => showProgress(database, taskId, progress),
    waitForCallback: (taskId, ms, signal) => waitForCallback(changes, taskId, ms, signal),
    pictureFile: (imageId) => media.localPath(imageKey(imageId)),
    removeUploads: uploads.eraseAll,
    endTeams: (userId) =>
      services.teams.erase(userId, (team) => ({ ...bySystem('erase', userId, team), commandId: uuid7() })),
    async removeUnusedUploads() {
      await uploads.removeUnused()
      await removeExpiredStarts(database, Date.now())
      await removePartials(config.dataDir, ['media'], Date.now())
    },
    onFailed: ({ taskId, engine, engineModel, code, detail }) =>
      log.warn({ taskId, engine, engineModel, code, detail }, 'video failed'),
    signal,
    issueInvoices: services.invoices.invoicing.issueDue,
    sweepVisits: createSweep(context, services, publicUrl),
  })
}

/** Creates the daily removal of what is kept for a limited time. */
function createSweep(
  { calendar, clock, config, database, pool }: Context,
  {
    apiKeys,
    clients,
    connections,
    erasures,
    invoices,
    messages,
    outbox,
    teamRows,
  }: Services & { readonly invoices: Invoices },
  publicUrl: () => string,
) {
  return createVisitRetention({
    pool,
    calendar,
    dayOf: localDayOf(config.operators.timeZone),
    deleteBefore: async (before) => {
      await createOperatorActions(pool).deleteRefusalsBefore(before)
      await deleteOldSecurityRecords(pool)
      await deleteOldSessions(database, clock)
      await deleteOldRequests(pool, clock)
      await deleteExpiredIdempotencyKeys(database)
      await deleteOldOrders(pool, clock)
      await deleteOldQuotes(pool, clock)
      await connections.removeExpired()
      await clients.removeUnused()
      await teamRows.removeExpired(new Date(calendar()))
      await messages.removeOld()
      await createKeyMails(database, outbox, publicUrl).remind(await apiKeys.expiring())
      // The links expire by this clock. By a calendar that was moved, new ones would have expired long ago.
      await erasures.removeUnconfirmed(clock())
      await outbox.forgetOld()
      await invoices.removeOld()
    },
  }).sweep
}

/** Time in which a payment provider is asked for the fee of a pack. */
const FEE_MS = 7 * 24 * 3_600_000

/** Returns the queries and emails about subscriptions and credits that activities need. */
export function subscriptionDeps(
  { config, database, pool, calendar, log }: Context,
  { cases, outbox, subscriptionReads }: Services,
  publicUrl: () => string,
) {
  const { sendOnce: mailOnce } = createReminders(database, outbox, publicUrl)
  return {
    alerts: createOperatorAlerts(pool, log),
    findBuyer: (saleId) => readBuyer(database, saleId),
    openAgreements: () => readOpenAgreements(database),
    usersWithExpiredLots: () => readExpired(database, new Date(calendar()).toISOString()),
    ordersWithoutFee: () => readOrdersWithoutFee(database, new Date(calendar() - FEE_MS)),
    cases,
    async onUnmatchedWebhook(webhookId) {
      log.error({ webhookId, alert: 'payment_webhook_unmatched' }, 'webhook unmatched')
      await cases.open({ kind: 'unmatched_payment', subject: webhookId, source: webhookId })
    },
    mailOnce: (userId, key, { kind, ...values }) => mailOnce(userId, key, kind, values),
    // These mails offer plans.
    creditsSpent:
      config.payments.tills.length === 0
        ? async () => {}
        : createLowCreditMails({
            credits: (userId) => readCredits(database, userId, new Date(calendar()).toISOString()),
            ...{ stats: subscriptionReads.stats, calendar },
            mailOnce,
            onError: (error) => log.error({ err: error }, 'low credit mail failed'),
          }),
  } satisfies Partial<SubscriptionActivityDeps> & { creditsSpent: (userId: string) => Promise<void> }
}
