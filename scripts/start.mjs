import { buildSiteIfStale } from './buildSite.mjs'
import { installMissing } from './install.mjs'
import { COMPILE_CACHE, NODE, run, serverArguments } from './run.mjs'

await installMissing()
await buildSiteIfStale()
const env = { KINORA_STARTER: String(process.pid), NODE_COMPILE_CACHE: COMPILE_CACHE }
const { code } = await run(NODE, serverArguments(), { env, stdin: 'inherit', ipc: true })
process.exit(code)
