import http from 'node:http'
import https from 'node:https'

// Calls the entry until it receives SIGTERM, and ends with code 1 at the first call that fails. upgrade.sh passes this text to
// the Node of the image, so that images from before this file work too. docs/decisions/0046-upgrade-beside.md
const INTERVAL_MS = 200
const TIMEOUT_MS = 10_000
const PATHS = ['/', '/api/v1/status', '/api/v1/subscriptions/plans', '/api/v1/auth/me']

const { ENTRY_HOST: host = 'entry', SITE_ADDRESS: site = ':8080' } = process.env
const isPort = site.startsWith(':')
// The certificate may be one that Caddy made for a local name.
const tls = { servername: site, headers: { host: site }, port: 443, rejectUnauthorized: false }
const target = isPort ? { port: Number(site.slice(1)) } : tls

/** Resolves with the reason why a call failed, or nothing. A refusal is an answer. */
const call = (path) =>
  new Promise((resolve) => {
    const options = { host, path, ...target, signal: AbortSignal.timeout(TIMEOUT_MS) }
    const request = (isPort ? http : https).get(options, (answer) => {
      answer.once('error', (error) => resolve(error.message))
      answer.once('end', () => resolve(answer.statusCode >= 500 ? `status ${answer.statusCode}` : undefined))
      answer.resume()
    })
    request.once('error', (error) => resolve(error.message))
  })

let calls = 0
setInterval(async () => {
  const path = PATHS[calls++ % PATHS.length]
  const fault = await call(path)
  if (!fault) return
  console.log(`1 of ${calls} calls failed: GET ${path}: ${fault}`)
  process.exit(1)
}, INTERVAL_MS)
process.once('SIGTERM', () => {
  console.log(`0 of ${calls} calls failed`)
  process.exit(0)
})
