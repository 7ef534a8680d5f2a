import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { PROJECTIONS, WORK_LISTS } from '#projections/all.ts'
import { caughtUp, databaseTime, readBehind } from '#projections/engine/liveness.ts'
import { registerOperator } from '../audit/operatorKeys.ts'
import { createHealthApp, healthRoutes, type Readiness } from '../kernel/http/health.ts'
import { createLog } from '../kernel/observability/log.ts'
import { serveMetrics } from '../kernel/observability/metricsRoute.ts'
import { shareFor } from '../kernel/shareFor.ts'
import { type Adapters, openAdapters } from './adapters.ts'
import { startApi } from './api.ts'
import type { Role } from './config/environment.ts'
import type { Config } from './config/readConfig.ts'
import { type Context, type Overrides, openContext } from './context.ts'
import { registerGauges } from './gauges.ts'
import { startHeads } from './heads/heads.ts'
import { deferred, leased, type Running } from './leases.ts'
import { startProjections } from './projections.ts'
import { createServices, type Services } from './services.ts'
import { startWorkflows } from './workflows.ts'

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
  const log = createLog(config.logLevel, overrides.logTo)
  const server = createServer({ keepAliveTimeout: IDLE_CONNECTION_MS })
  let readiness: Readiness = 'starting'
  const running: Running[] = []
  const health = healthRoutes({
    readiness: () => readiness,
    behind: () => readBehind(PROJECTIONS, context.database),
    async dependencies() {
      await writable()
      const answers = await Promise.all(running.map((role) => role.reachable?.() ?? true))
      if (!answers.every(Boolean)) throw new Error('a dependency does not answer')
    },
  })
  const healthOnly = createHealthApp(health, log).callback()
  server.on('request', healthOnly)
  // Bind the port first: if another Kinora already uses it, startup fails before it changes anything.
  await listen(server, config.http)
  const { port } = server.address() as AddressInfo
  const url = config.http.publicUrl ?? `http://localhost:${port}`

  const { context, adapters } = await open(config, log, overrides).catch((error) => {
    server.close()
    throw error
  })
  const writable = shareFor(PROBE_INTERVAL_MS, () => context.store.probe())
  const services = createServices(context, adapters)
  try {
    registerOperator(config.dataDir, config.operators.username)
  } catch (error) {
    log.error({ err: error }, 'operator key cannot be used')
  }
  registerGauges(context)
  const { metricsToken: token } = config.http
  serveMetrics(health, { production: config.production, token, read: context.observability.read })
  const background = await startBackground(context, adapters, services, () => url)
  running.push(...background.running)
  const inTime = await Promise.race([background.started.then(() => true), delay(START_LIMIT_MS, false, { ref: false })])
  if (!inTime) log.warn({ behind: await readBehind(PROJECTIONS, context.database) }, 'starting with stale read models')
  if (config.roles.includes('api')) {
    server.off('request', healthOnly)
    const site = existsSync(SITE) ? SITE : undefined
    running.push(startApi(context, adapters, services, { server, publicUrl: () => url, health, site }))
  }
  readiness = 'ready'

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
      // Keep serving until load balancers, which poll `/readyz`, stop sending requests.
      await delay(config.http.drainMs)
      for (const role of running.toReversed()) await role.stop()
      background.stopWaiting()
      server.close()
      server.closeIdleConnections()
      await adapters.close()
      await context.close()
    },
  }
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
  if (isWanted('workflows')) running.push(deferred(reach(WORK_LISTS), start), startHeads(context, services.erasures))
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

function listen(server: ReturnType<typeof createServer>, { port, host }: Config['http']): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(taken ? new Error(`Port ${port} is in use. Stop the other program, or set PORT to another port.`) : error)
    })
    server.listen(port, host, resolve)
  })
}
