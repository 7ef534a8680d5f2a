import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withImports } from '../imports.mjs'
import { COMPILE_CACHE, NODE, ROOT, run, secondsSince } from '../run.mjs'
import { filesHash, isCurrent } from '../staleness.mjs'
import { OUTPUT, PROGRAMS } from './programs.mjs'

const STAMP = path.join(ROOT, OUTPUT, '.build')
const TOOLS = ['package.json', 'package-lock.json', 'scripts/server/bundleServer.ts', 'scripts/server/prelude.ts']

/** The bundled server. */
export const SERVER = path.join(ROOT, OUTPUT, 'main.js')

/** Bundles the server if any of its inputs changed since the last build. */
export async function buildServerIfStale() {
  if (!isCurrent(STAMP, filesHash(ROOT, serverInputs()))) await buildServer()
}

/** Bundles the server and records the hash of its inputs. Exits the process if the build fails. */
export async function buildServer() {
  console.log('Bundling the server …')
  const start = Date.now()
  const hash = filesHash(ROOT, serverInputs())
  const { code, output } = await run(NODE, ['scripts/server/bundleServer.ts'], { quiet: true })
  if (code !== 0) {
    console.error(output)
    console.error('The server could not be bundled.')
    process.exit(1)
  }
  // What is compiled from former builds is never read again.
  rmSync(COMPILE_CACHE, { recursive: true, force: true })
  writeFileSync(STAMP, hash)
  console.log(`Bundled in ${secondsSince(start)}.`)
}

/** Lists the files that the bundle is made from. Packages are represented by the lock file. */
const serverInputs = (root = ROOT) => withImports(root, [...PROGRAMS, ...TOOLS]).sort()
