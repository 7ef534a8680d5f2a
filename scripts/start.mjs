import { buildSiteIfStale } from './buildSite.mjs'
import { installMissing } from './install.mjs'
import { COMPILE_CACHE, NODE, RETURN_MEMORY, serverArguments } from './run.mjs'
import { buildServerIfStale, SERVER } from './server/buildServer.mjs'
import { superviseServer } from './server/supervise.mjs'

await installMissing()
await buildSiteIfStale()
await buildServerIfStale()
const env = { ...RETURN_MEMORY, KINORA_STARTER: String(process.pid), NODE_COMPILE_CACHE: COMPILE_CACHE }
process.exit(await superviseServer(NODE, serverArguments(SERVER), { env, stdin: 'inherit', ipc: true }))
