import { installMissing } from './install.mjs'
import { NODE, run } from './run.mjs'

await installMissing()
const { code } = await run(NODE, ['backend/adjust.ts', ...process.argv.slice(2)])
process.exitCode = code
