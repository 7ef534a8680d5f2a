import { readdirSync } from 'node:fs'
import path from 'node:path'
import { installMissing } from './install.mjs'
import { NODE, ROOT, run } from './run.mjs'

const benches = readdirSync(path.join(ROOT, 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => path.basename(file, '.ts'))
const [name, ...args] = process.argv.slice(2)

if (!benches.includes(name)) {
  console.error(`Usage: npm run bench -- <${benches.join('|')}> [options]`)
  process.exit(2)
}
await installMissing()
const { code } = await run(NODE, [`bench/${name}.ts`, ...args])
process.exit(code)
