import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { projectImports } from '../imports.mjs'
import { ROOT } from '../run.mjs'

// The footer shows the version of package.json.
const ALLOWED = /^(?:site\/|content\/|package\.json$|backend\/[^.]*\/contract\.ts$)/
const FEATURE = /^site\/src\/features\/([^/]+)\//
const SHARED = /^site\/src\/(?:ui|i18n|api)\//
const ABOVE_SHARED = /^site\/src\/(?:features|pages|layouts)\//

/** Applies the import rules of the site to .astro files, which dependency-cruiser cannot read. */
export function astroImportFaults(root = ROOT) {
  if (!existsSync(path.join(root, 'site/src'))) return []
  const files = readdirSync(path.join(root, 'site/src'), { recursive: true }).filter((file) => file.endsWith('.astro'))
  return files.flatMap((name) => {
    const file = `site/src/${name}`
    return projectImports(root, file)
      .map(({ specifier, target }) => [ruleBrokenBy(file, target), specifier])
      .filter(([rule]) => rule)
      .map(([rule, specifier]) => `${rule}: ${file} → ${specifier}`)
  })
}

function ruleBrokenBy(file, target) {
  if (!ALLOWED.test(target)) return 'the site imports only contracts, content and itself'
  const [from, to] = [file, target].map((name) => FEATURE.exec(name)?.[1])
  if (from && to && from !== to) return 'a feature imports no other feature'
  return SHARED.test(file) && ABOVE_SHARED.test(target) && 'shared parts of the site import no feature'
}
