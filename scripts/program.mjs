import { readdirSync } from 'node:fs'
import path from 'node:path'
import { installMissing } from './install.mjs'
import { NODE, ROOT, run, settings } from './run.mjs'

// `node scripts/program.mjs <name> …` runs backend/programs/<name>.ts with the settings of `.env`.
const [name, ...args] = process.argv.slice(2)
const programs = readdirSync(path.join(ROOT, 'backend/programs'))
  .filter((file) => /^\w+\.ts$/.test(file))
  .map((file) => path.basename(file, '.ts'))

if (!programs.includes(name)) {
  console.error(`Usage: node scripts/program.mjs <${programs.join('|')}> [options]`)
  process.exit(2)
}
await installMissing()
const { code } = await run(NODE, [...settings(), `backend/programs/${name}.ts`, ...args])
process.exit(code)
