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
import type { Role } from './config/layoutFaults.ts'
import type { Config } from './config/readConfig.ts'
import { type Overrides, openPorts, type Ports } from './context.ts'
import { leased, type Running } from './leases.ts'
import { startApi, startProjections, startWorkflows } from './roles.ts'

export interface Kinora {
  readonly url: string
  /** Settles with the reason when the program cannot go on. */
  readonly failed: Promise<string>
  /** The parts it runs on, for tests. */
  readonly ports: Ports
  stop(): Promise<void>
}

/** Longer than proxies keep idle connections (Caddy: two minutes): who closes first must be the one that sends the next call. */
const IDLE_CONNECTION_MS = 125_000

const SITE = path.resolve(import.meta.dirname, '../../site/dist')

/** Starts the roles that the configuration names; resolves when the first request can be served. */
export async function startKinora(config: Config, overrides: Overrides = {}): Promise<Kinora> {
  const log = createLog(config.logLevel, overrides.logTo)
  const server = createServer({ keepAliveTimeout: IDLE_CONNECTION_MS })
  let readiness: Readiness = 'starting'
  const health = healthRoutes(
    () => readiness,
    async () => {
      await ports.pool.query('select 1')
      const answers = await Promise.all(running.map((role) => role.reachable?.() ?? true))
      if (!answers.every(Boolean)) throw new Error('what a role stands on does not answer')
    },
  )
  const onlyHealth = createHealthApp(health, log).callback()
  server.on('request', onlyHealth)
  // The port comes first: should another Kinora hold it, nothing else is touched.
  await listen(server, config)
  const { port } = server.address() as AddressInfo
  const url = config.publicUrl ?? `http://localhost:${port}`

  const ports = await openPorts(config, log, overrides).catch((error) => {
    server.close()
    throw error
  })
  serveMetrics(health, { ...config, token: config.metricsToken, read: ports.observability.read })
  const running: Running[] = []
  const run = (role: Role, start: () => Running) => {
    if (config.roles.includes(role)) running.push(start())
    return Promise.all(running.map(({ started }) => started))
  }
  const since = await databaseTime(ports.database)
  await run('projections', () => startProjections(ports))
  // Whichever process they run in: what is read and swept here must be all there is.
  await caughtUp(PROJECTIONS, ports.database, since)
  const workflows = () => startWorkflows(ports, () => url)
  // Temporal knows what runs where: its workers may be many. The embedded engine has one holder.
  await run('workflows', () => (config.temporal ? workflows() : leased(ports.leases, 'workflows', workflows)))
  await run('api', () => {
    server.off('request', onlyHealth)
    return startApi(ports, { server, publicUrl: () => url, health, site: existsSync(SITE) ? SITE : undefined })
  })
  readiness = 'ready'

  return {
    url,
    ports,
    failed: ports.databaseGone.then(() => 'The database has stopped.'),
    async stop() {
      readiness = 'draining'
      // Whoever hands out the work looks at `/readyz` now and then; until then all goes on.
      await delay(config.drainMs)
      for (const role of running.toReversed()) await role.stop()
      server.close()
      server.closeIdleConnections()
      await ports.close()
    },
  }
}

function listen(server: ReturnType<typeof createServer>, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(taken ? new Error(`Port ${port} is taken. Stop what uses it, or set PORT to another one.`) : error)
    })
    server.listen(port, host, resolve)
  })
}
