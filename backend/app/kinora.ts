import { existsSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { PROJECTIONS, WORK_LISTS } from '#projections/all.ts'
import { caughtUp, databaseTime, readBehind } from '#projections/engine/liveness.ts'
import { startHeads } from '../audit/heads/startHeads.ts'
import { startZeros } from '../audit/zero/startZeros.ts'
import { stopListening } from '../kernel/http/drain.ts'
import { createHealthApp, healthRoutes, type Readiness } from '../kernel/http/health.ts'
import { isSocketRequest } from '../kernel/http/realtime.ts'
import { answerUnparsed } from '../kernel/http/unparsed.ts'
import { describeFfmpeg } from '../kernel/media/ffmpeg.ts'
import { createLog } from '../kernel/observability/log.ts'
import { serveMetrics } from '../kernel/observability/metricsRoute.ts'
import { deferred, leased, type Running } from '../kernel/postgres/leased.ts'
import { refuseFullDisk } from '../kernel/postgres/refuseFullDisk.ts'
import { collectBuffersWithHeap, STARTED } from '../kernel/processes/starting.ts'
import { shareFor } from '../kernel/shareFor.ts'
import { type Adapters, openAdapters } from './adapters.ts'
import { prepareApi } from './api.ts'
import type { Role } from './config/environment.ts'
import { invoiceFault } from './config/invoicesConfig.ts'
import type { Config } from './config/readConfig.ts'
import { type Context, type Overrides, openContext } from './context.ts'
import { registerGauges } from './gauges.ts'
import { openOutside } from './openOutside.ts'
import { openHeadFiles } from './openPlace.ts'
import { registerMachineGauges } from './operators/machineGauges.ts'
import { startOutbox } from './outbox.ts'
import { startProjections } from './projections.ts'
import { createServices, type Services } from './services.ts'
import { VERSION } from './version.ts'
import { startWorkflows } from './workflows.ts'
import { openZeros } from './zeros.ts'

export type Kinora = Awaited<ReturnType<typeof startKinora>>

/** Idle timeout of connections. Longer than the timeout of proxies (two minutes in Caddy), so that they close first. */
const IDLE_CONNECTION_MS = 125_000

/** Minimum interval of the writes by which `/readyz` probes the event store. */
const PROBE_INTERVAL_MS = 2_000

/** Time to wait for read models and workflows before serving without them. */
const START_LIMIT_MS = 10_000

const SITE = path.resolve(import.meta.dirname, '../../site/dist')

/**
 * Starts the configured roles. Resolves when the first request can be served, at most ten seconds after the stores are
 * open: read models that need longer are served as they are.
 */
export async function startKinora(config: Config, overrides: Overrides = {}) {
  collectBuffersWithHeap()
  const log = createLog(config.logLevel, overrides.logTo)
  const stopTelemetry = await startTelemetry(config, log)
  let readiness: Readiness = 'starting'
  const running: Running[] = []
  const health = healthRoutes({ readiness: () => readiness, ...checksOf(() => context, config, running) })
  const doors = await openDoors(config, createHealthApp(health, log).callback())
  const { server, url } = doors

  const { context, adapters } = await open(config, log, overrides).catch((error) => {
    doors.close()
    throw error
  })
  const services = createServices(context, adapters)
  registerGauges(context)
  registerMachineGauges(context)
  const { metricsToken: token } = config.http
  serveMetrics(health, { production: config.production, token, read: context.observability.read })
  const background = await startBackground(context, adapters, services, () => url)
  running.push(...background.running)
  const pages = doors.isShared ? [health] : []
  const listening = { server, publicUrl: () => url, health: pages, site: existsSync(SITE) ? SITE : undefined }
  // While read models and workflows start.
  const serve = config.roles.includes('api') ? prepareApi(context, adapters, services, listening) : undefined
  const inTime = await Promise.race([background.started.then(() => true), delay(START_LIMIT_MS, false, { ref: false })])
  if (!inTime) log.warn({ behind: await readBehind(PROJECTIONS, context.database) }, 'starting with stale read models')
  if (serve) {
    await doors.openServer()
    running.push(serve())
  }
  readiness = 'ready'
  log.info({ version: VERSION, roles: config.roles }, 'started')
  const fault = invoiceFault(config)
  if (fault) log.warn({ fault }, 'seller of invoices not set')
  STARTED.publish(undefined)
  if (config.roles.includes('workflows')) logFfmpeg(config, log)

  return {
    url,
    /** Exposed to tests, like the services. */
    context: { ...adapters, ...context },
    services,
    /** Resolves with the reason if the process can no longer run. */
    failed: Promise.race([
      context.databaseGone.then(() => 'The database has stopped.'),
      new Promise<string>((resolve) => background.started.catch((error: Error) => resolve(error.message))),
    ]),
    async stop() {
      readiness = 'draining'
      if (!doors.isShared) void stopListening(server)
      // Keep serving until load balancers, which poll `/readyz`, stop sending requests.
      await delay(config.http.drainMs)
      for (const role of running.toReversed()) await role.stop()
      background.stopWaiting()
      doors.close()
      await adapters.close()
      await context.close()
      await stopTelemetry()
    },
  }
}

/** Starts to send traces, if a collector is configured. Most installations do without its packages. */
async function startTelemetry({ telemetry }: Config, log: Context['log']): Promise<() => Promise<void>> {
  if (!telemetry) return async () => {}
  const { startOpenTelemetry } = await import('../kernel/observability/openTelemetry.ts')
  return startOpenTelemetry({ ...telemetry, version: VERSION }, log)
}

/** Returns the checks of `/readyz`. */
function checksOf(context: () => Context, config: Config, running: readonly Running[]) {
  const writable = shareFor(PROBE_INTERVAL_MS, async () => {
    await context().store.probe()
    if (!config.database) await refuseFullDisk(config.dataDir)
  })
  return {
    behind: () => readBehind(PROJECTIONS, context().database),
    silent: () =>
      context()
        .silences()
        .map(({ subscription }) => subscription),
    async dependencies() {
      await writable()
      const answers = await Promise.all(running.map((role) => role.reachable?.() ?? true))
      if (!answers.every(Boolean)) throw new Error('a dependency does not answer')
    },
  }
}

/**
 * Opens the port of health checks, which is the one of the API unless another is configured. If another Kinora already
 * uses it, startup fails before it changes anything.
 */
async function openDoors({ http }: Config, healthOnly: RequestListener) {
  const { host, healthPort } = http
  const server: Server = createServer({
    keepAliveTimeout: IDLE_CONNECTION_MS,
    // Sockets are served later than the first requests.
    shouldUpgradeCallback: (request) => server.listenerCount('upgrade') > 0 && isSocketRequest(request),
  })
  answerUnparsed(server)
  const isShared = healthPort === undefined
  const healthServer = isShared ? server : createServer()
  healthServer.on('request', healthOnly)
  if (isShared) await listen(server, http)
  else await listen(healthServer, { host, port: healthPort }, 'HEALTH_PORT')
  const { port } = isShared ? (server.address() as AddressInfo) : http
  return {
    server,
    isShared,
    url: http.publicUrl ?? `http://localhost:${port}`,
    /** Lets the API answer on its port. */
    async openServer() {
      if (isShared) server.off('request', healthOnly)
      else await listen(server, http)
    },
    /** Closes the port of health checks. */
    close() {
      healthServer.close()
      healthServer.closeIdleConnections()
    },
  }
}

function logFfmpeg({ video }: Config, log: Context['log']): void {
  describeFfmpeg(video.ffmpegPath).then(
    ({ version: ffmpeg, isPackaged }) => log.info({ ffmpeg, isPackaged }, 'ffmpeg found'),
    (err) => log.error({ err }, 'ffmpeg not found'),
  )
}

/**
 * Starts projections and workflows, as far as this process has the role. `started` resolves when every read model has
 * caught up, in whichever process it runs, and workflows run.
 */
async function startBackground(context: Context, adapters: Adapters, services: Services, url: () => string) {
  const { config, database, leases } = context
  const isWanted = (role: Role) => config.roles.includes(role)
  const halt = new AbortController()
  const since = await databaseTime(database)
  const running = isWanted('projections') ? [startProjections(context)] : []
  const reach = (projections: typeof PROJECTIONS) => caughtUp(projections, database, since, halt.signal)
  const workflows = (lease?: number) => startWorkflows(context, adapters, services, url, lease)
  // Temporal coordinates its workers; the embedded engine must run in one process only.
  const start = () => (config.temporal ? workflows() : leased(leases, 'workflows', workflows))
  if (isWanted('workflows')) {
    running.push(
      deferred(reach(WORK_LISTS), start),
      startOutbox(context, adapters, services, url),
      startHeads({
        ...context,
        files: openHeadFiles(config.headsTo, context.temporaryDir),
        publicUrl: url,
        outside: openOutside(config.headsOutside, adapters.mailer),
        reconcileErasures: services.erasures.reconcile,
      }),
    )
    if (config.payments.tills.length > 0) running.push(startZeros(openZeros(context, adapters)))
    // Most installations do without its packages.
    if (config.backup) running.push((await import('./backups.ts')).startNightlyCopies(context, config.backup))
  }
  const started = Promise.all([reach(PROJECTIONS), ...running.map((role) => role.started)])
  return { running, started, stopWaiting: () => halt.abort() }
}

async function open(config: Config, log: ReturnType<typeof createLog>, overrides: Overrides) {
  const context = await openContext(config, log, overrides)
  try {
    return { context, adapters: await openAdapters(context, overrides) }
  } catch (error) {
    await context.close()
    throw error
  }
}

/** The message says which setting to change. */
export class CannotListen extends Error {
  override name = 'CannotListen'
}

type Address = Pick<Config['http'], 'port' | 'host'>

/** Returns what to do about an error of `listen`, by its code. */
const adviceOn = ({ port, host }: Address, setting: string): Readonly<Record<string, string>> => ({
  EADDRINUSE: `Port ${port} is in use. Stop the other program, or set ${setting} to another port.`,
  EACCES: `This user may not open port ${port}. Set ${setting} to a port from 1024, and put a proxy in front.`,
  EADDRNOTAVAIL: `This machine has no address ${host}. Set HOST to one of its addresses, or to 0.0.0.0 for all.`,
  ENOTFOUND: `The name ${host} cannot be resolved. Set HOST to an address of this machine, or to 0.0.0.0 for all.`,
})

/** @throws CannotListen */
function listen(server: Server, address: Address, setting = 'PORT'): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const advice = adviceOn(address, setting)[error.code ?? '']
      reject(advice ? new CannotListen(advice) : error)
    })
    server.listen(address.port, address.host, resolve)
  })
}
