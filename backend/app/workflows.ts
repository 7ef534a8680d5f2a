import { readOldHolds } from '#projections/credits/readOpenHolds.ts'
import { readOpenGenerations } from '#projections/tasks/readOpenWork.ts'
import { showProgress } from '#projections/tasks/renderProgress.ts'
import { createActivities } from '#workflows/activities.ts'
import type { Engine } from '#workflows/engine/engine.port.ts'
import { createVisitRetention } from '../analytics/visitRetention.ts'
import { localDayOf } from '../kernel/days.ts'
import { imageKey } from '../kernel/media/mediaStore.port.ts'
import { instrumentActivities } from '../kernel/observability/instrument.ts'
import { createOperatorActions } from '../operators/operatorActions.ts'
import { waitForCallback } from '../tasks/providerCallbacks.ts'
import type { Adapters } from './adapters.ts'
import type { Context } from './context.ts'
import { openEngine, renderSlots } from './engine.ts'
import { leased, type Running } from './leases.ts'
import type { Services } from './services.ts'
import { subscriptionDeps } from './subscriptionDeps.ts'
import { startTriggers } from './triggers.ts'

/** Activity results with a metric label of their own. */
const OUTCOMES = ['claimed', 'waiting', 'finished', 'failed', 'over', 'pending', 'read', 'later'] as const

/** Runs the workflow engine, its activities, and the triggers that start workflows. */
export function startWorkflows(
  context: Context,
  adapters: Adapters,
  services: Services,
  publicUrl: () => string,
): Running {
  const { config, leases, observability } = context
  const activities = activitiesOf(context, adapters, services, publicUrl, async (...args) =>
    (await opened).engine.signal(...args),
  )
  const watched = instrumentActivities(observability.metrics, activities, OUTCOMES)
  const opened = openEngine(context, renderSlots(adapters.video), watched).then((engine) => {
    const triggers = () => startTriggers(context, services, engine)
    // Temporal has many workers but needs one process that starts workflows.
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
  { media, mailer, payments, video }: Adapters,
  { allowance, credits, erasures, outbox, uploads, userKeys, webhooks }: Services,
  publicUrl: () => string,
  signal: Engine['signal'],
) {
  const { calendar, changes, clock, config, database, handle, log, findOrigin, pool, store, temporaryDir } = context
  return createActivities({
    ...subscriptionDeps(context, { outbox }, publicUrl),
    store,
    handle,
    findOrigin,
    credits,
    payments,
    inbox: webhooks,
    outbox,
    mailer,
    erasures,
    provider: video,
    media,
    calendar,
    now: clock,
    temporaryDir,
    ffmpegPath: config.video.ffmpegPath,
    decrypt: userKeys.decrypt,
    concurrentLimit: async (userId) => (await allowance(userId)).concurrent,
    holdsOlderThan: async (ms) => {
      const { items } = await readOpenGenerations(database)
      const taskIds = items.map(({ taskId }) => taskId)
      return readOldHolds(database, new Date(calendar() - ms), taskIds)
    },
    showProgress: (taskId, percent) => showProgress(database, taskId, percent),
    waitForCallback: (taskId, ms, signal) => waitForCallback(changes, taskId, ms, signal),
    pictureFile: (imageId) => media.localPath(imageKey(imageId)),
    removeUploads: uploads.eraseAll,
    removeUnusedUploads: uploads.removeUnused,
    onRefused: (mailId) => log.warn({ mailId }, 'mail rejected permanently'),
    signal,
    sweepVisits: createVisitRetention({
      pool,
      calendar,
      dayOf: localDayOf(config.operators.timeZone),
      deleteBefore: createOperatorActions(pool).deleteRefusalsBefore,
    }).sweep,
  })
}
