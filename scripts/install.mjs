import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { NODE, ROOT, run, secondsSince } from './run.mjs'

const LOCK = path.join(ROOT, 'package-lock.json')
const STAMP = path.join(ROOT, 'node_modules/.installed')

const wanted = () => {
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex')
  return `${lock} ${process.platform}-${process.arch}\n`
}

/** Installs the packages in the lock file unless they are already installed. */
export async function installMissing() {
  if (existsSync(NODE) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted()) return
  console.log('Installing packages (the first time, this takes a minute or two) …')
  const start = Date.now()
  const [command, ...args] = npm()
  // Building and testing need development packages, whatever NODE_ENV is. `--no-save` keeps other versions of npm from
  // rewriting the lock file.
  const flags = ['--no-audit', '--no-fund', '--no-save', '--include=dev', '--include=optional', '--loglevel=error']
  const { code } = await run(command, [...args, 'install', ...flags, '--update-notifier=false', ...cache()])
  if (code !== 0) fail(`npm install failed with code ${code}.`)
  if (!existsSync(NODE))
    fail('The package "node" is incomplete: its install script did not run (npm: ignore-scripts?).')
  writeFileSync(STAMP, wanted())
  console.log(`Installed in ${secondsSince(start)}.`)
}

/** Returns the command line of the npm that runs this script, or of the one in PATH. */
function npm() {
  const running = process.env.npm_execpath
  return running && /npm-cli\.c?js$/.test(running) ? [process.execPath, running] : ['npm']
}

/** Returns the npm option for a temporary cache if the user has no writable home directory, as for `nobody`. */
function cache() {
  try {
    accessSync(homedir(), constants.W_OK)
    return []
  } catch {
    return [`--cache=${path.join(tmpdir(), `kinora-npm-cache-${process.getuid?.()}`)}`]
  }
}

function fail(reason) {
  console.error(reason)
  process.exit(1)
}
