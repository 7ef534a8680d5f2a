import { existsSync, watch } from 'node:fs'
import path from 'node:path'
import { hasSite } from './buildSite.mjs'
import { installMissing } from './install.mjs'
import { NODE, ROOT, run, serverArguments, tool } from './run.mjs'

// The site listens on 3000 and proxies the server's paths (/api with its WebSocket, /dev, /healthz, /readyz) to
// KINORA_API: see site/astro.config.mjs. The server's public URL is therefore the site's.
const SITE_PORT = '3000'
const API_PORT = '3001'
const WATCHED = ['backend', 'projections', 'workflows', 'content']
const SETTLE_MS = 150

await installMissing()
const changes = watchSources()
if (hasSite()) {
  const env = { ASTRO_TELEMETRY_DISABLED: '1', KINORA_API: `http://127.0.0.1:${API_PORT}` }
  const site = run(NODE, [tool('astro'), 'dev', '--root', 'site', '--port', SITE_PORT], { env })
  // Stop the server when the site stops, because development needs both.
  site.then(() => process.emit('SIGTERM', 'SIGTERM'))
  await serve({ PORT: API_PORT, PUBLIC_URL: `http://localhost:${SITE_PORT}` })
} else {
  console.log('There is no site yet (site/astro.config.mjs): only the API is served.')
  await serve({})
}

/** Runs the server and restarts it when its sources change. Node's --watch leaves the server running after Ctrl-C. */
async function serve(env) {
  for (;;) {
    let server
    const onStart = (child) => {
      server = child
    }
    const options = { env: { ...env, KINORA_STARTER: String(process.pid) }, ipc: true, onStart }
    const ended = run(NODE, serverArguments('backend/main.ts'), options)
    const changed = changes.next()
    const isOver = await Promise.race([ended.then(() => true), changed.then(() => false)])
    if (isOver) {
      console.log('The server has stopped. It starts again when a file changes.')
      await changed
    } else {
      console.log('A file has changed: restarting the server.')
      server.kill('SIGTERM')
      await ended
    }
  }
}

/** Watches the sources. `next` resolves after a change, once there has been no other change for {@link SETTLE_MS}. */
function watchSources() {
  let timer
  let resolve = () => {}
  const onChange = (_, file) => {
    if (!/\.(ts|json|md)$/.test(file ?? '') || /\.spec\.ts$/.test(file)) return
    clearTimeout(timer)
    timer = setTimeout(() => resolve(), SETTLE_MS)
  }
  const folders = WATCHED.map((folder) => path.join(ROOT, folder)).filter((folder) => existsSync(folder))
  for (const folder of folders) watch(folder, { recursive: true }, onChange)
  return {
    next: () =>
      new Promise((done) => {
        resolve = done
      }),
  }
}
