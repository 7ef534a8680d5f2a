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

/** Returns whether the program is installed. */
export const hasCaddy = (): boolean => spawnSync('caddy', ['version']).status === 0

/** Returns the directive that buffers request bodies in the installed version. */
function bufferRequests(): string {
  const isOld = /^v?2\.[0-6]\./.test(spawnSync('caddy', ['version'], { encoding: 'utf8' }).stdout)
  return isOld ? 'buffer_requests' : 'request_buffers 64KB'
}

/** Starts Caddy with the rules of `docs/operations/Caddyfile` in front of local ports. */
export async function startCaddyProxy(ports: readonly number[]): Promise<RoundRobinProxy> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-caddy-'))
  const config = path.join(folder, 'Caddyfile')
  const [port, alive] = [await freePort(), await freePort()]
  const to = `to ${ports.map((each) => `127.0.0.1:${each}`).join(' ')}`
  writeFileSync(config, readFileSync(CADDYFILE, 'utf8').replace(UPSTREAMS, to).replace(':8081', `:${alive}`))
  const env = { ...process.env, HOME: folder, SITE_ADDRESS: `:${port}`, ENTRY_BUFFERS: bufferRequests() }
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
