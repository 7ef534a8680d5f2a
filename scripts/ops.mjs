import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

// `node scripts/ops.mjs backup --out /backups/today` runs a command that package.json names. The image has no npm.
const ROOT = path.resolve(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
const PROGRAM = /^exec node scripts\/program\.mjs (backend\/programs \w+)$/
const programs = new Map(
  Object.entries(scripts)
    .map(([name, line]) => [name, PROGRAM.exec(line)?.[1].replace(' ', '/')])
    .filter(([name, file]) => file && name !== 'showcase'),
)

const [name, ...rest] = process.argv.slice(2)
const args = rest[0] === '--' ? rest.slice(1) : rest
if (!programs.has(name)) {
  console.error(`Usage: ops <${[...programs.keys()].join('|')}> [options]`)
  process.exit(2)
}
const child = spawn(process.execPath, [path.join(ROOT, `${programs.get(name)}.ts`), ...args], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.once('close', (code) => process.exit(code ?? 1))
