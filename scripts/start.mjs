import { buildSiteIfStale } from './buildSite.mjs'
import { installMissing } from './install.mjs'
import { COMPILE_CACHE, NODE, RETURN_MEMORY, run, serverArguments } from './run.mjs'
import { buildServerIfStale, SERVER } from './server/buildServer.mjs'

await installMissing()
await buildSiteIfStale()
await buildServerIfStale()
const env = { ...RETURN_MEMORY, KINORA_STARTER: String(process.pid), NODE_COMPILE_CACHE: COMPILE_CACHE }
const { code } = await run(NODE, serverArguments(SERVER), { env, stdin: 'inherit', ipc: true })
process.exit(code)
