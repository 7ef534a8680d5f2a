import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

const WORKFLOWS = path.resolve(import.meta.dirname, '..')
/** Where `npm run build` leaves the bundle. */
export const BUILT = path.join(import.meta.dirname, 'dist')

/** What runs in the sandbox of Temporal, and the name of this version of it. */
export interface Bundle {
  readonly code: string
  readonly buildId: string
}

/**
 * A hash of all that the bundle is made of: the bodies, their policies, their host and Temporal's own part. Two machines
 * that hold the same sources run the same version, whatever folders they hold them in.
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

/**
 * The bundle of these sources: the one that was built, or one that is made now, in some seconds, and kept in `folder`.
 */
export async function workflowBundle(folder: string, entry = path.join(import.meta.dirname, 'sandbox.ts')) {
  const buildId = buildIdOf(entry)
  const name = `workflows-${buildId}.cjs`
  for (const place of [BUILT, folder]) {
    const file = path.join(place, name)
    if (existsSync(file)) return { buildId, code: readFileSync(file, 'utf8') }
  }
  const { code } = await bundleWorkflowCode({ workflowsPath: entry, logger: new DefaultLogger('ERROR') })
  mkdirSync(folder, { recursive: true })
  // In one step: another process may be about to read it.
  const draft = path.join(folder, `${name}.${process.pid}`)
  writeFileSync(draft, code)
  renameSync(draft, path.join(folder, name))
  return { buildId, code } satisfies Bundle
}
