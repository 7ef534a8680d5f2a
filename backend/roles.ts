import type { Server } from 'node:http'
import os from 'node:os'
import { PROJECTIONS } from '#projections/all.ts'
import { readOldHolds, readOpenWork } from '#projections/readOpenWork.ts'
import { runProjection } from '#projections/run.ts'
import { createActivities } from '#workflows/activities.ts'
import { EmbeddedEngine } from '#workflows/embedded.ts'
import { policies } from '#workflows/policies.ts'
import { generateVideo } from '#workflows/tasks/generateVideo.ts'
import { recoverVideo } from '#workflows/tasks/recoverVideo.ts'
import { sweepHolds } from '#workflows/tasks/sweepHolds.ts'
import { sweepUploads } from '#workflows/tasks/sweepUploads.ts'
import { runTriggers } from '#workflows/triggers.ts'
import { createAccounts } from './accounts/accounts.ts'
import { createSessions } from './accounts/sessions.ts'
import { createApp } from './app.ts'
import { createRealtime } from './http/realtime.ts'
import { imageKey, posterKey, videoKey, watermarkedKey } from './media/mediaStore.ts'
import type { Ports } from './ports.ts'
import { PLANS } from './subscriptions/plans.ts'
import { statsOf } from './subscriptions/routes.ts'
import { createImageUploads } from './tasks/imageUploads.ts'
import { showProgress } from './tasks/progress.ts'
import { pushUpdates } from './tasks/pushUpdates.ts'

/** A part of the program that runs until it is stopped. `started` settles when it has caught up once. */
export interface Running {
  readonly started: Promise<void>
  stop(): Promise<void>
}

const SWEEP_MS = 15_000
const SWEEP_UPLOADS_MS = 60 * 60_000

/** Videos that are made at once: rendering here takes whole cores; a provider far away takes none of ours. */
const renderSlots = ({ provider }: Ports): number =>
  provider.name === 'demo' ? Math.max(1, Math.floor(os.availableParallelism() / 2)) : 200

/** Keeps the read models up to date. */
export function startProjections({ store, database, log }: Ports): Running {
  const halt = new AbortController()
  const each = PROJECTIONS.map((projection) => {
    const live = Promise.withResolvers<void>()
    const run = { store, database, log, signal: halt.signal, onLive: live.resolve }
    return { live: live.promise, done: runProjection(projection, run) }
  })
  return {
    started: Promise.all(each.map(({ live }) => live)).then(() => undefined),
    async stop() {
      halt.abort()
      await Promise.all(each.map(({ done }) => done))
    },
  }
}

/** Makes the videos: workflows on the embedded engine, started from the log. */
export function startWorkflows(ports: Ports): Running {
  const { database, store, media, now, log, pool } = ports
  const halt = new AbortController()
  const activities = createActivities({
    ...ports,
    concurrentLimit: async (userId) => (await ports.allowance(userId)).concurrent,
    holdsOlderThan: (ms) => readOldHolds(database, ms, now()),
    showProgress: (taskId, percent) => showProgress(pool, taskId, percent),
    ffmpegPath: ports.config.ffmpegPath,
    pictureFile: (imageId) => media.localPath(imageKey(imageId)),
    wake: (id, signal) => engine.signal(id, signal),
    removeUnusedUploads: createImageUploads(database, media, ports.temporaryDir).removeUnused,
  })
  const engine = new EmbeddedEngine({
    workflows: { generateVideo, recoverVideo, sweepHolds, sweepUploads },
    activities,
    policies,
    slots: { render: renderSlots(ports) },
    onError: (error, step) => log.warn({ err: error, step }, 'a step of a workflow failed and may be tried again'),
  })
  const onError = (error: unknown) => log.error({ err: error }, 'the triggers stumbled and start again')
  const triggers = runTriggers({ store, engine, openWork: () => readOpenWork(database), signal: halt.signal, onError })
  const started = (async () => {
    await engine.start('sweepHolds', 'sweepHolds', {})
    await engine.result('sweepHolds')
    await engine.schedule('sweepHolds', 'sweepHolds', SWEEP_MS)
    await engine.schedule('sweepUploads', 'sweepUploads', SWEEP_UPLOADS_MS)
  })()
  return {
    started,
    async stop() {
      halt.abort()
      await engine.stop()
      await triggers
    },
  }
}

export interface Api {
  readonly server: Server
  readonly publicUrl: () => string
  readonly ready: () => Promise<boolean>
  /** Folder of the built site, if it is to be served. */
  readonly site: string | undefined
}

/** Answers HTTP and WebSocket calls on a server that listens already. */
export function startApi(ports: Ports, { server, publicUrl, ready, site }: Api): Running {
  const { config, database, media, mailbox, now, temporaryDir, credits, tierOf } = ports
  const realtime = createRealtime(database)
  const sessions = createSessions(database, config.sessionSecret)
  const app = createApp({
    ...ports,
    publicUrl,
    ready,
    site,
    realtime,
    hold: credits.hold,
    release: credits.release,
    accounts: createAccounts({
      database,
      mailer: mailbox,
      publicUrl,
      welcome: (userId) => credits.welcome(userId, PLANS.free.credits),
      endSessions: sessions.endAll,
      now,
    }),
    sessions,
    secureCookies: publicUrl().startsWith('https://'),
    ffmpegPath: config.ffmpegPath,
    renderSlots: renderSlots(ports),
    images: createImageUploads(database, media, temporaryDir),
    removeMedia: async (taskId) => {
      for (const key of [videoKey, posterKey, watermarkedKey]) await media.remove(key(taskId))
    },
    watermarks: async (userId) => (await ports.allowance(userId)).watermark,
    mailbox: config.production ? undefined : mailbox,
    demoRenderer: ports.provider.name === 'demo',
    supportEmail: config.supportEmail,
  })
  const callback = app.callback()
  server.on('request', callback)
  realtime.attach(server)
  const creditsOf = async (userId: string) => {
    const stats = await statsOf({ database, tierOf, now }, userId)
    return { remaining: stats.remaining_credits, total: stats.total_credits }
  }
  const onError = (error: unknown) => ports.log.warn({ err: error }, 'an update was not pushed')
  const unsubscribe = pushUpdates({ ...ports, realtime, creditsOf, onError })
  return {
    started: Promise.resolve(),
    async stop() {
      unsubscribe()
      realtime.close()
      server.closeIdleConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
