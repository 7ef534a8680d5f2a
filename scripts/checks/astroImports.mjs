import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../run.mjs'

const IMPORT = /(?:from\s+|import\s+|import\()\s*['"]([^'"]+)['"]/g
const ALLOWED = /^(?:site\/|content\/|backend\/[^/]+\/contract\.ts$)/

/** Imports by which .astro files leave the site; dependency-cruiser cannot read those files. */
export function astroImportFaults(root = ROOT) {
  if (!existsSync(path.join(root, 'site/src'))) return []
  const files = readdirSync(path.join(root, 'site/src'), { recursive: true }).filter((file) => file.endsWith('.astro'))
  return files.flatMap((name) => {
    const file = `site/src/${name}`
    const specifiers = [...readFileSync(path.join(root, file), 'utf8').matchAll(IMPORT)].map((match) => match[1])
    return specifiers
      .filter((specifier) => isOurs(specifier) && !ALLOWED.test(targetOf(specifier, file)))
      .map((specifier) => `the site imports only contracts, content and itself: ${file} → ${specifier}`)
  })
}

const isOurs = (specifier) => /^[#.]/.test(specifier)
const targetOf = (specifier, file) =>
  specifier.startsWith('#') ? specifier.slice(1) : path.posix.join(path.posix.dirname(file), specifier)
