import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withImports } from '../imports.mjs'
import { COMPILE_CACHE, NODE, ROOT, run, secondsSince, TEST_COMPILE_CACHE } from '../run.mjs'
import { filesHash, isCurrent } from '../staleness.mjs'
import { BUNDLES } from './programs.mjs'

const TOOLS = [
  'package.json',
  'package-lock.json',
  ...['bundleServer', 'prelude', 'runServer'].map((name) => `scripts/server/${name}.ts`),
]

/** The bundled server. */
export const SERVER = path.join(ROOT, 'dist/main.js')

/** Bundles the server, or with `dist-tests` the one of the tests, if any of its inputs changed since the last build. */
export async function buildServerIfStale(bundle = 'dist') {
  if (!isCurrent(stampOf(bundle), inputsHash(bundle))) await buildServer(bundle)
}

/** Bundles a server and records the hash of its inputs. Exits the process if the build fails. */
export async function buildServer(bundle = 'dist') {
  console.log('Bundling the server …')
  const start = Date.now()
  const hash = inputsHash(bundle)
  const { code, output } = await run(NODE, ['scripts/server/bundleServer.ts', bundle], { quiet: true })
  if (code !== 0) {
    console.error(output)
    console.error('The server could not be bundled.')
    process.exit(1)
  }
  // What is compiled from former builds is never read again.
  rmSync(bundle === 'dist' ? COMPILE_CACHE : TEST_COMPILE_CACHE, { recursive: true, force: true })
  writeFileSync(stampOf(bundle), hash)
  console.log(`Bundled in ${secondsSince(start)}.`)
}

const stampOf = (bundle) => path.join(ROOT, bundle, '.build')

/** Returns the hash of the files that a bundle is made from. Packages are represented by the lock file. */
const inputsHash = (bundle) => {
  const { servers, programs } = BUNDLES[bundle]
  return filesHash(ROOT, withImports(ROOT, [...servers, ...programs, ...TOOLS]).sort())
}
