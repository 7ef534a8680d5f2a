import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { pino } from 'pino'
import type { Config } from './config.ts'
import { type Overrides, openPorts, type Ports } from './ports.ts'
import { type Running, startApi, startProjections, startWorkflows } from './roles.ts'

export interface Kinora {
  readonly url: string
  /** Settles with the reason when the program cannot go on. */
  readonly failed: Promise<string>
  /** The parts it runs on, for tests. */
  readonly ports: Ports
  stop(): Promise<void>
}

const SITE = path.resolve(import.meta.dirname, '../site/dist')

/** Starts the roles that the configuration names; resolves when the first request can be served. */
export async function startKinora(config: Config, overrides: Overrides = {}): Promise<Kinora> {
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
  const server = createServer()
  const notYet = (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'text/plain' }).end('Kinora is starting.')
  }
  server.on('request', notYet)
  // The port comes first: should another Kinora hold it, nothing else is touched.
  await listen(server, config)
  const { port } = server.address() as AddressInfo
  const url = config.publicUrl ?? `http://localhost:${port}`

  const ports = await openPorts(config, log, overrides)
  const running: Running[] = []
  let ready = false
  const isReady = async () => {
    const answers = await Promise.all(running.map((role) => role.reachable?.() ?? true))
    return ready && answers.every(Boolean)
  }
  if (config.roles.includes('projections')) running.push(startProjections(ports))
  await Promise.all(running.map(({ started }) => started))
  if (config.roles.includes('workflows')) running.push(startWorkflows(ports, () => url))
  await Promise.all(running.map(({ started }) => started))
  if (config.roles.includes('api')) {
    server.off('request', notYet)
    const site = existsSync(SITE) ? SITE : undefined
    running.push(startApi(ports, { server, publicUrl: () => url, ready: isReady, site }))
  }
  ready = true

  return {
    url,
    ports,
    failed: ports.databaseGone.then(() => 'The database has stopped.'),
    async stop() {
      ready = false
      for (const role of running.toReversed()) await role.stop()
      server.close()
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
