import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './freePort.ts'
import type { RoundRobinProxy } from './roundRobinProxy.ts'

const CADDYFILE = path.resolve(import.meta.dirname, '../../docs/operations/Caddyfile')
/** The API processes, which compose finds by DNS. */
const UPSTREAMS = /dynamic a api 3000 \{[^}]*\}/g

/** Earlier versions fail calls with a body whose first process refuses the connection (caddyserver/caddy#7547). */
export const CADDY = 'Caddy from 2.11.2'

/** Returns whether a version without that fault is on PATH. */
export function hasCaddy(): boolean {
  const { stdout } = spawnSync('caddy', ['version'], { encoding: 'utf8' })
  const [major = 0, minor = 0, patch = 0] =
    /\d+\.\d+\.\d+/
      .exec(stdout ?? '')?.[0]
      .split('.')
      .map(Number) ?? []
  return major * 1e6 + minor * 1e3 + patch >= 2_011_002
}

/** Starts Caddy with the rules of `docs/operations/Caddyfile` in front of local ports. */
export async function startCaddyProxy(ports: readonly number[]): Promise<RoundRobinProxy> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-caddy-'))
  const config = path.join(folder, 'Caddyfile')
  const [port, alive] = [await freePort(), await freePort()]
  const to = `to ${ports.map((each) => `127.0.0.1:${each}`).join(' ')}`
  writeFileSync(config, readFileSync(CADDYFILE, 'utf8').replace(UPSTREAMS, to).replace(':8081', `:${alive}`))
  const env = { ...process.env, HOME: folder, SITE_ADDRESS: `:${port}` }
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', config], { env, stdio: 'ignore' })
  const gone = once(child, 'exit')
  const isAlive = () =>
    fetch(`http://127.0.0.1:${alive}/alive`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isAlive())) {
    if (child.exitCode !== null) throw new Error(`caddy ended with ${child.exitCode}`)
    await delay(50)
  }
  return {
    url: `http://localhost:${port}`,
    async close() {
      child.kill()
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
