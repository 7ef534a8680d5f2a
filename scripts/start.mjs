import { existsSync } from 'node:fs'
import { buildSiteIfStale } from './buildSite.mjs'
import { installMissing } from './install.mjs'
import { NODE, ROOT, run } from './run.mjs'

await installMissing()
await buildSiteIfStale()
const settings = existsSync(`${ROOT}/.env`) ? ['--env-file=.env'] : []
const flags = [...settings, '--import=./scripts/stopWithStarter.mjs']
const env = { KINORA_STARTER: String(process.pid) }
const { code } = await run(NODE, [...flags, 'backend/main.ts'], { env, stdin: 'inherit', ipc: true })
process.exit(code)
