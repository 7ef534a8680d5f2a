import { buildSite } from './buildSite.mjs'
import { installMissing } from './install.mjs'
import { NODE, run } from './run.mjs'
import { buildServer } from './server/buildServer.mjs'

await installMissing()
await buildSite()
await buildServer()
const { code } = await run(NODE, ['workflows/temporal/buildBundle.ts'])
process.exitCode = code
