import { readdirSync } from 'node:fs'
import path from 'node:path'
import { installMissing } from './install.mjs'
import { NODE, ROOT, run, settings } from './run.mjs'

// `node scripts/program.mjs <folder> <name> …` runs a program in the folder. Programs in backend/programs read `.env`;
// benchmarks and trials with other programs do not.
// `npm run bench` without a name prints the table of all.
const [folder, ...words] = process.argv.slice(2)
const isTable = folder === 'proof/bench' && (words[0] ?? '--').startsWith('--')
const [name, ...args] = isTable ? ['table', ...words] : words
const names = readdirSync(path.join(ROOT, folder))
  .filter((file) => /^\w+\.ts$/.test(file))
  .map((file) => path.basename(file, '.ts'))

if (!names.includes(name)) {
  console.error(`Usage: node scripts/program.mjs ${folder} <${names.join('|')}> [options]`)
  process.exit(2)
}
await installMissing()
const program = [
  ...(['proof/bench', 'proof/conformance', 'proof/real'].includes(folder) ? [] : settings()),
  `${folder}/${name}.ts`,
  ...args,
]
const { code } = await run(NODE, program, { stdin: 'inherit' })
process.exit(code)
