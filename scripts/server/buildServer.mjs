import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withImports } from '../imports.mjs'
import { COMPILE_CACHE, ROOT, secondsSince } from '../run.mjs'
import { filesHash, isCurrent } from '../staleness.mjs'
import { OUTPUT, PROGRAMS } from './sourcePaths.mjs'

const STAMP = path.join(ROOT, OUTPUT, '.build')
const TOOLS = [
  ...['package.json', 'package-lock.json'],
  ...['buildServer', 'bundleServer', 'leanPackages', 'lineTable', 'prelude'].map(
    (name) => `scripts/server/${name}.mjs`,
  ),
]

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
  // Imported late, because this file is loaded before packages are installed.
  const { bundleServer } = await import('./bundleServer.mjs')
  try {
    await bundleServer()
  } catch (error) {
    console.error(error.message)
    console.error('The server could not be bundled.')
    process.exit(1)
  }
  // What is compiled from former builds is never read again.
  rmSync(COMPILE_CACHE, { recursive: true, force: true })
  writeFileSync(STAMP, hash)
  console.log(`Bundled in ${secondsSince(start)}.`)
}

/** Lists the files that the bundle is made from. Packages are represented by the lock file. */
export const serverInputs = (root = ROOT) => withImports(root, [...PROGRAMS, ...TOOLS]).sort()
