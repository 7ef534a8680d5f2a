import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

const WORKFLOWS = path.resolve(import.meta.dirname, '..')
/** Output folder of `npm run build`. */
export const BUILT = path.join(import.meta.dirname, 'dist')

/** The code that runs in Temporal's sandbox. */
export interface Bundle {
  readonly code: string
  /** Hash of the sources. */
  readonly buildId: string
}

/**
 * Returns a hash of the bundle's sources: workflow bodies, policies, host and Temporal's library. It does not depend on
 * the machine or the folder.
 */
function buildIdOf(entry: string): string {
  const bundled = readdirSync(WORKFLOWS, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /(\.workflow|\.port|olicies|all)\.ts$/.test(file) && !file.startsWith('testing/'),
  )
  const files = [...bundled, 'temporal/host.ts', 'temporal/names.ts', path.relative(WORKFLOWS, entry)]
  const library = new URL('../package.json', import.meta.resolve('@temporalio/workflow'))
  const hash = createHash('sha256').update(JSON.parse(readFileSync(library, 'utf8')).version)
  for (const file of files.sort()) hash.update(`\0${file}\0`).update(readFileSync(path.join(WORKFLOWS, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Returns the prebuilt bundle of the current sources, or builds it within seconds and caches it in `folder`. */
export async function workflowBundle(folder: string, entry = path.join(import.meta.dirname, 'sandbox.ts')) {
  const buildId = buildIdOf(entry)
  const name = `workflows-${buildId}.cjs`
  for (const place of [BUILT, folder]) {
    const file = path.join(place, name)
    if (existsSync(file)) return { buildId, code: readFileSync(file, 'utf8') }
  }
  const { code } = await bundleWorkflowCode({ workflowsPath: entry, logger: new DefaultLogger('ERROR') })
  mkdirSync(folder, { recursive: true })
  // Write and rename, because another process may read the file at any time.
  const draft = path.join(folder, `${name}.${process.pid}`)
  writeFileSync(draft, code)
  renameSync(draft, path.join(folder, name))
  return { buildId, code } satisfies Bundle
}
