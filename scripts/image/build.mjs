import { buildSite } from '../buildSite.mjs'
import { NODE, run } from '../run.mjs'
import { buildServer } from '../server/buildServer.mjs'
import { assemble } from './assemble.mjs'

// `node scripts/image/build.mjs <folder>` builds the site, the server and the workflows, and collects what the image contains.
const [target] = process.argv.slice(2)
if (!target) {
  console.error('Usage: node scripts/image/build.mjs <folder>')
  process.exit(2)
}
await buildSite()
await buildServer()
const { code } = await run(NODE, ['workflows/temporal/buildBundle.ts'])
if (code !== 0) process.exit(code)
assemble(target, { embedded: process.env.POSTGRES !== 'none' })
