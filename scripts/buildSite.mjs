import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withImports } from './imports.mjs'
import { precompress } from './precompress.mjs'
import { NODE, ROOT, run, secondsSince, tool } from './run.mjs'
import { filesHash, isCurrent } from './staleness.mjs'

const DIST = path.join(ROOT, 'site/dist')
const STAMP = path.join(DIST, '.build')
const NO_INPUT = /(^|\/)(dist|\.astro|node_modules|e2e)\/|\.spec\.tsx?$/
const TOOLS = [
  'package-lock.json',
  'tsconfig.json',
  'scripts/buildSite.mjs',
  'scripts/precompress.mjs',
  'scripts/staleness.mjs',
]

export const hasSite = () => existsSync(path.join(ROOT, 'site/astro.config.mjs'))

/** Builds the site if any of its inputs changed since the last build. */
export async function buildSiteIfStale() {
  if (!hasSite()) return console.log('There is no site yet (site/astro.config.mjs): only the API is served.')
  if (isCurrent(STAMP, inputsHash())) return
  await buildSite()
}

/** Builds the site and records the hash of its inputs. Exits the process if the build fails. */
export async function buildSite() {
  console.log('Building the site …')
  const start = Date.now()
  const inputs = inputsHash()
  // Astro puts a key for server islands into its output. There are none, so it need not be a new secret in each build.
  const ASTRO_KEY = Buffer.from(inputs, 'hex').toString('base64')
  const env = { ASTRO_TELEMETRY_DISABLED: '1', ASTRO_KEY, NODE_ENV: 'production' }
  const { code, output } = await run(NODE, [tool('astro'), 'build', '--root', 'site'], { env, quiet: true })
  if (code !== 0) {
    console.error(output)
    console.error('The site could not be built.')
    process.exit(1)
  }
  precompress(path.join(DIST, 'client/_astro'))
  writeFileSync(STAMP, inputs)
  console.log(`Built in ${secondsSince(start)}.`)
}

/** Lists the files that the built site depends on: its own, the content, and all files that they import. */
export const siteInputs = (root = ROOT) =>
  withImports(root, [...filesUnder(root, 'site'), ...filesUnder(root, 'content'), ...docs(root), ...TOOLS]).sort()

/** The pages of the manual that the site contains. The image is built without the rest of docs/. */
const docs = (root) =>
  ['docs', 'docs/operations'].flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  )

/** Hashes the inputs of the site. The public URL is not an input: the server inserts it. */
export const inputsHash = (root = ROOT) => filesHash(root, siteInputs(root))

function filesUnder(root, folder) {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true })
  return entries.flatMap((entry) => {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) return NO_INPUT.test(`${name}/`) ? [] : filesUnder(root, name)
    return entry.isFile() && !NO_INPUT.test(name) ? [name] : []
  })
}
