import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { PROJECTIONS } from '#projections/all.ts'
import { caughtUp, databaseTime } from '#projections/engine/liveness.ts'
import { createHealthApp, healthRoutes, type Readiness } from '../kernel/http/health.ts'
import { createLog } from '../kernel/observability/log.ts'
import { serveMetrics } from '../kernel/observability/metricsRoute.ts'
import { openAdapters } from './adapters.ts'
import { startApi } from './api.ts'
import type { Role } from './config/environment.ts'
import type { Config } from './config/readConfig.ts'
import { type Overrides, openContext } from './context.ts'
import { registerGauges } from './gauges.ts'
import { leased, type Running } from './leases.ts'
import { startProjections } from './projections.ts'
import { createServices } from './services.ts'
import { startWorkflows } from './workflows.ts'

export type Kinora = Awaited<ReturnType<typeof startKinora>>

/** Idle timeout of connections. Longer than the timeout of proxies (two minutes in Caddy), so that they close first. */
const IDLE_CONNECTION_MS = 125_000

const SITE = path.resolve(import.meta.dirname, '../../site/dist')

/** Starts the configured roles. Resolves when the first request can be served. */
export async function startKinora(config: Config, overrides: Overrides = {}) {
  const log = createLog(config.logLevel, overrides.logTo)
  const server = createServer({ keepAliveTimeout: IDLE_CONNECTION_MS })
  let readiness: Readiness = 'starting'
  const running: Running[] = []
  const health = healthRoutes(
    () => readiness,
    async () => {
      await context.pool.query('select 1')
      const answers = await Promise.all(running.map((role) => role.reachable?.() ?? true))
      if (!answers.every(Boolean)) throw new Error('a dependency does not answer')
    },
  )
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
  const services = createServices(context, adapters)
  registerGauges(context)
  const { metricsToken: token } = config.http
  serveMetrics(health, { production: config.production, token, read: context.observability.read })
  const run = (role: Role, start: () => Running) => {
    if (config.roles.includes(role)) running.push(start())
    return Promise.all(running.map(({ started }) => started))
  }
  const since = await databaseTime(context.database)
  await run('projections', () => startProjections(context))
  // Other roles read and sweep rows, so wait until all projections have caught up, in whichever process they run.
  await caughtUp(PROJECTIONS, context.database, since)
  const workflows = () => startWorkflows(context, adapters, services, () => url)
  // Temporal coordinates its workers; the embedded engine must run in one process only.
  await run('workflows', () => (config.temporal ? workflows() : leased(context.leases, 'workflows', workflows)))
  await run('api', () => {
    server.off('request', healthOnly)
    const site = existsSync(SITE) ? SITE : undefined
    return startApi(context, adapters, services, { server, publicUrl: () => url, health, site })
  })
  readiness = 'ready'

  return {
    url,
    /** Exposed to tests, like the services. */
    context: { ...adapters, ...context },
    services,
    /** Resolves with the reason if the process can no longer run. */
    failed: context.databaseGone.then(() => 'The database has stopped.'),
    async stop() {
      readiness = 'draining'
      // Keep serving until load balancers, which poll `/readyz`, stop sending requests.
      await delay(config.http.drainMs)
      for (const role of running.toReversed()) await role.stop()
      server.close()
      server.closeIdleConnections()
      await adapters.close()
      await context.close()
    },
  }
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
