import { hasSite } from './buildSite.mjs'
import { installMissing } from './install.mjs'
import { NODE, run, tool } from './run.mjs'

// The site answers on 3000 and hands what is the server's (/api with its WebSocket, /dev, /healthz, /readyz) to 3001:
// the proxy is in site/astro.config.mjs. The server has to know the address that people see.
const SITE_PORT = '3000'
const API_PORT = '3001'

await installMissing()
const site = hasSite()
const serverEnv = site
  ? { PORT: API_PORT, PUBLIC_URL: `http://localhost:${SITE_PORT}` }
  : { PORT: process.env.PORT ?? SITE_PORT }
const siteEnv = { ASTRO_TELEMETRY_DISABLED: '1', KINORA_API: `http://127.0.0.1:${API_PORT}` }

const programs = [run(NODE, ['--watch', '--env-file-if-exists=.env', 'backend/main.ts'], { env: serverEnv })]
if (site) {
  const args = ['dev', '--root', 'site', '--port', SITE_PORT]
  programs.push(run(NODE, [tool('astro'), ...args], { env: siteEnv }))
} else {
  console.log('There is no site yet (site/astro.config.mjs): only the API is served.')
}
const { code } = await Promise.race(programs)
// One without the other is of no use.
process.emit('SIGTERM')
if (programs.length === 1) process.exit(code)
