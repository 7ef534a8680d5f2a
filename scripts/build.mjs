import { buildSite } from './buildSite.mjs'
import { installMissing } from './install.mjs'
import { NODE, run } from './run.mjs'

await installMissing()
await buildSite()
const { code } = await run(NODE, ['workflows/temporal/buildBundle.ts'])
process.exitCode = code
