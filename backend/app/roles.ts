import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type Router from '@koa/router'
import { PROJECTIONS } from '#projections/all.ts'
import { runProjection } from '#projections/engine/run.ts'
import { readSubscribers } from '#projections/subscriptions/readSubscription.ts'
import { readOldHolds, readOpenWork } from '#projections/tasks/readOpenWork.ts'
import { createActivities } from '#workflows/activities.ts'
import { sweepVisits } from '#workflows/analytics/sweepVisits.workflow.ts'
import type { Engine } from '#workflows/engine/engine.port.ts'
import { runRowTriggers } from '#workflows/engine/rowTriggers.ts'
import { lookAtTerm, runTriggers } from '#workflows/engine/triggers.ts'
import { reconcile } from '#workflows/subscriptions/reconcile.workflow.ts'
import { HINT, recoverVideo } from '#workflows/tasks/recoverVideo.workflow.ts'
import { sweepHolds } from '#workflows/tasks/sweepHolds.workflow.ts'
import { sweepUploads } from '#workflows/tasks/sweepUploads.workflow.ts'
import { accountPorts } from '../accounts/accountPorts.ts'
import { ERASURES } from '../accounts/erasures.ts'
import { OUTGOING_MAILS } from '../accounts/mails/outbox.ts'
import { ENDED_SESSIONS } from '../accounts/sessions/sessions.ts'
import { createVisitRetention } from '../analytics/visitRetention.ts'
import { drain } from '../kernel/http/drain.ts'
import { createRealtime } from '../kernel/http/realtime.ts'
import { imageKey, removeTaskMedia } from '../kernel/media/mediaStore.port.ts'
import { instrumentActivities } from '../kernel/observability/instrument.ts'
import { MOVED_CLOCK } from '../kernel/postgres/calendar.ts'
import { RELISTENED } from '../kernel/postgres/changes.ts'
import { standingAlerts } from '../operators/operatorAlerts.ts'
import { operatorDays } from '../operators/operatorDays.ts'
import { operatorPorts } from '../operators/operatorPorts.ts'
import { PLANS } from '../subscriptions/plans.contract.ts'
import { statsOf } from '../subscriptions/routes.ts'
import { createSubscriptions } from '../subscriptions/subscriptions.ts'
import { PAYMENT_WEBHOOKS } from '../subscriptions/webhookInbox.ts'
import { createImageUploads } from '../tasks/imageUploads.ts'
import { showProgress } from '../tasks/progress.ts'
import { providerCents } from '../tasks/providerCost.ts'
import { hinted, PROVIDER_HINTS, tellHint } from '../tasks/providerHints.ts'
import { pushUpdates } from '../tasks/pushUpdates.ts'
import type { Ports } from './context.ts'
import { createApp } from './httpApp.ts'
import { leased, type Running } from './leases.ts'
import { openEngine, renderSlots } from './openEngine.ts'
import { subscriptionDeps } from './subscriptionDeps.ts'

/** After these there may be a row that waits. */
const NEWS = [OUTGOING_MAILS, ERASURES, PAYMENT_WEBHOOKS, RELISTENED]
/** Activity results that get a metric label of their own. */
const ACTIVITY_OUTCOMES = ['claimed', 'waiting', 'finished', 'failed', 'over', 'pending', 'read', 'later'] as const
const SWEEP_MS = 15_000
const SWEEP_UPLOADS_MS = 60 * 60_000
const SWEEP_VISITS_MS = 10 * 60_000
const RECONCILE_MS = 24 * 60 * 60_000

/**
 * Keeps the read models up to date, each in a lane of its own: processes that project share the lanes, and no two work on
 * the same one. A lane is named with its version, so that a newer program builds its rows while an older one goes on.
 */
export function startProjections({ store, database, log, leases, observability: { lag } }: Ports): Running {
  const lanes = PROJECTIONS.map((projection, slot) => {
    const project = () => {
      const halt = new AbortController()
      const live = Promise.withResolvers<void>()
      const followed = lag.follow(projection.name, store)
      const done = runProjection(projection, {
        store: followed,
        database,
        log,
        signal: halt.signal,
        onLive: live.resolve,
      })
      return {
        started: live.promise,
        async stop() {
          halt.abort()
          await done
        },
      }
    }
    return leased(leases, `projection ${projection.name} ${projection.version}`, project, { slot })
  })
  return {
    started: Promise.all(lanes.map(({ started }) => started)).then(() => undefined),
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()))
    },
  }
}

/** Makes the videos, and all else that waits: the engine, what it does in the world, and what starts workflows on it. */
export function startWorkflows(ports: Ports, publicUrl: () => string): Running {
  const { database, media, log, pool, changes, calendar, temporaryDir } = ports
  const uploads = createImageUploads(database, media, temporaryDir)
  const activities = createActivities({
    ...ports,
    concurrentLimit: async (userId) => (await ports.allowance(userId)).concurrent,
    holdsOlderThan: (ms) => readOldHolds(database, ms, calendar()),
    showProgress: (taskId, percent) => showProgress(pool, taskId, percent),
    ffmpegPath: ports.config.ffmpegPath,
    hinted: (taskId, ms, signal) => hinted(changes, taskId, ms, signal),
    pictureFile: (imageId) => media.localPath(imageKey(imageId)),
    removeUploads: uploads.removeAllOf,
    onRefused: (mailId) => log.warn({ mailId }, 'a mail was refused for good'),
    signal: async (workflow, input, name) => (await opened).engine.signal(workflow, input, name),
    ...subscriptionDeps(ports, publicUrl),
    removeUnusedUploads: uploads.removeUnused,
    sweepVisits: createVisitRetention(pool, calendar, operatorDays(ports.config.operator.timeZone)).sweep,
  })
  const triggersOf = (engine: Engine) => () => startTriggers(ports, engine)
  const opened = openEngine(
    ports,
    instrumentActivities(ports.observability.metrics, activities, ACTIVITY_OUTCOMES),
  ).then((engine) => ({
    engine,
    // Workers may be many; what starts workflows is one.
    triggers: ports.config.temporal ? leased(ports.leases, 'triggers', triggersOf(engine)) : triggersOf(engine)(),
  }))
  return {
    started: opened.then(({ triggers }) => triggers.started),
    reachable: async () => (await opened).engine.reachable?.() ?? true,
    async stop() {
      const { engine, triggers } = await opened
      // Together: an engine whose server is away lets go of those who call it when it stops.
      await Promise.all([triggers.stop(), engine.stop()])
    },
  }
}

/** What starts workflows: the log, rows that wait, the calendar, and schedules. */
function startTriggers({ database, store, log, outbox, erasures, changes, inbox }: Ports, engine: Engine): Running {
  const halt = new AbortController()
  const onError = (error: unknown) => log.error({ err: error }, 'the triggers stumbled and start again')
  const triggers = runTriggers({ store, engine, openWork: () => readOpenWork(database), signal: halt.signal, onError })
  const rowTriggers = runRowTriggers({
    engine,
    waiting: async () => ({
      mails: await outbox.waiting(),
      erasures: await erasures.waiting(),
      notices: await inbox.waiting(),
    }),
    onNews: (tell) => changes.subscribe(({ name }) => void (NEWS.includes(name) && tell())),
    signal: halt.signal,
    onError,
  })
  const lookAtAll = async () => {
    for (const userId of await readSubscribers(database)) await lookAtTerm(engine, userId)
    await engine.start(reconcile, {})
    await engine.start(sweepVisits, {})
  }
  const unsubscribe = changes.subscribe(({ name, ids }) => {
    if (name === MOVED_CLOCK) void lookAtAll().catch(onError)
    if (name === PROVIDER_HINTS)
      for (const taskId of ids) void engine.signal(recoverVideo, { taskId }, HINT).catch(onError)
  })
  const begin = async () => {
    await engine.start(sweepHolds, {})
    await engine.result(sweepHolds, {})
    await engine.schedule(sweepHolds, SWEEP_MS)
    await engine.schedule(sweepUploads, SWEEP_UPLOADS_MS)
    await engine.schedule(sweepVisits, SWEEP_VISITS_MS)
    await engine.schedule(reconcile, RECONCILE_MS)
  }
  const started = (async () => {
    while (!halt.signal.aborted) {
      try {
        return await begin()
      } catch (error) {
        onError(error)
        await delay(1_000, undefined, { signal: halt.signal }).catch(() => {})
      }
    }
  })()
  return {
    started,
    async stop() {
      halt.abort()
      unsubscribe()
      await Promise.all([triggers, rowTriggers])
    },
  }
}

export interface Api {
  readonly server: Server
  readonly publicUrl: () => string
  /** `/healthz` and `/readyz`. */
  readonly health: Router
  /** Folder of the built site, if it is to be served. */
  readonly site: string | undefined
}

/** Answers HTTP and WebSocket calls on a server that listens already. */
export function startApi(ports: Ports, { server, publicUrl, health, site }: Api): Running {
  const { config, database, media, temporaryDir, credits, outbox, changes, clock, sandbox } = ports
  const realtime = createRealtime(database)
  const { metrics, onRead } = ports.observability
  onRead(() => metrics.sockets.set(realtime.count()))
  const account = accountPorts(ports, publicUrl, PLANS.free.credits)
  const app = createApp({
    ...ports,
    publicUrl,
    health,
    site,
    realtime,
    hold: credits.hold,
    release: credits.release,
    ...account,
    ...operatorPorts(ports, publicUrl),
    subscriptions: createSubscriptions({
      ...ports,
      publicUrl,
      now: ports.calendar,
      creditsAt: credits.expire,
    }),
    providerPlan: (tier) => (tier === 'free' ? null : (config.paypal?.plans[tier] ?? null)),
    onForged: () => {
      metrics.forged.inc()
      ports.log.warn('somebody sent a webhook in the payment provider’s name')
    },
    metrics,
    sandboxState: sandbox?.state,
    advanceClock: clock?.advance,
    callbackSecret: config.sessionSecret,
    tellHint: (taskId) => tellHint(ports.pool, taskId),
    ffmpegPath: config.ffmpegPath,
    renderSlots: renderSlots(ports),
    images: createImageUploads(database, media, temporaryDir),
    removeMedia: (taskId) => removeTaskMedia(media, taskId),
    watermarks: async (userId) => (await ports.allowance(userId)).watermark,
    mailDelivered: async () => {
      await account.background.settled()
      await outbox.empty(3_000)
    },
    demoRenderer: ports.provider.name === 'demo',
    alerts: () => standingAlerts(ports.pool),
    providerCents: ports.provider.name === 'demo' ? undefined : providerCents,
    trustedProxies: config.trustedProxies,
    supportEmail: config.supportEmail,
  })
  const callback = app.callback()
  server.on('request', callback)
  realtime.attach(server)
  const creditsOf = async (userId: string) => {
    const stats = await statsOf(ports, userId)
    return { remaining: stats.remaining_credits, total: stats.total_credits }
  }
  const onError = (error: unknown) => ports.log.warn({ err: error }, 'an update was not pushed')
  const halt = new AbortController()
  const { port } = server.address() as AddressInfo
  const host = ['127.0.0.1', '0.0.0.0', '::'].includes(config.host) ? 'localhost' : config.host
  const bill = (held: AbortSignal) => sandbox!.run(`http://${host}:${port}`, held)
  const billing = sandbox && ports.leases.run('sandbox', halt.signal, bill)
  const unsubscribe = pushUpdates({ ...ports, realtime, creditsOf, onError })
  const destroyClient = changes.subscribe(({ name, ids }) => {
    if (name === ENDED_SESSIONS) for (const userId of ids) realtime.disconnect(userId)
    // What was said meanwhile nobody has heard here: those who come back ask for how things are.
    if (name === RELISTENED) realtime.disconnectAll()
  })
  return {
    started: Promise.resolve(),
    async stop() {
      halt.abort()
      await billing
      await drain(server, realtime)
      unsubscribe()
      destroyClient()
      await account.background.settled()
    },
  }
}
