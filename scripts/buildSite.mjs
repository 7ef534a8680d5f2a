import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { precompress } from './precompress.mjs'
import { NODE, ROOT, run, secondsSince, tool } from './run.mjs'

const DIST = path.join(ROOT, 'site/dist')
const STAMP = path.join(DIST, '.build')
const MADE = new Set(['dist', '.astro', 'node_modules', 'e2e'])

/** Whether there is a site to build at all. */
export const hasSite = () => existsSync(path.join(ROOT, 'site/astro.config.mjs'))

/** Builds the site anew when something it is made of has changed. */
export async function buildSiteIfStale() {
  if (!hasSite()) return console.log('There is no site yet (site/astro.config.mjs): only the API is served.')
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputsHash()) return
  await buildSite()
}

/** Builds the site, ends the program when that fails, and notes what it was made of. */
export async function buildSite() {
  console.log('Building the site …')
  const start = Date.now()
  const inputs = inputsHash()
  const env = { ASTRO_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }
  const { code, output } = await run(NODE, [tool('astro'), 'build', '--root', 'site'], { env, quiet: true })
  if (code !== 0) {
    console.error(output)
    console.error('The site could not be built.')
    process.exit(1)
  }
  precompress(path.join(DIST, '_astro'))
  writeFileSync(STAMP, inputs)
  console.log(`Built in ${secondsSince(start)}.`)
}

/** One hash over all that the built site depends on; the address it is served under is put in later. */
function inputsHash() {
  const files = [
    ...filesUnder('site'),
    ...filesUnder('content'),
    ...filesUnder('backend').filter((file) => /\/(contract|models|plans)\.ts$/.test(file)),
    ...['package-lock.json', 'tsconfig.json', 'scripts/buildSite.mjs', 'scripts/precompress.mjs'],
  ]
  const hash = createHash('sha256')
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(ROOT, file)))
      .update('\0')
  return hash.digest('hex')
}

function filesUnder(folder) {
  const entries = existsSync(path.join(ROOT, folder))
    ? readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    : []
  return entries.flatMap((entry) => {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) return MADE.has(entry.name) ? [] : filesUnder(name)
    return entry.isFile() ? [name] : []
  })
}
