import { existsSync } from 'node:fs'
import path from 'node:path'
import { installMissing } from './install.mjs'
import { NODE, ROOT, run } from './run.mjs'

await installMissing()
const settings = existsSync(path.join(ROOT, '.env')) ? ['--env-file=.env'] : []
const { code } = await run(NODE, [...settings, 'backend/audit.ts', ...process.argv.slice(2)])
process.exit(code)
