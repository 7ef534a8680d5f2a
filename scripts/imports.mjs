import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const IMPORT = /(?:from\s+|import\s+|import\()\s*['"]([^'"]+)['"]/g

/**
 * Lists the imports of a source file that lead into the project, with the path of each target. Works on text, because
 * scripts run without packages and .astro files have no parser here.
 */
export function projectImports(root, file) {
  return [...readFileSync(path.join(root, file), 'utf8').matchAll(IMPORT)]
    .map(([, specifier]) => specifier)
    .filter((specifier) => /^[#.]/.test(specifier))
    .map((specifier) => ({ specifier, target: targetOf(specifier, file) }))
}

const targetOf = (specifier, file) =>
  specifier.startsWith('#') ? specifier.slice(1) : path.posix.join(path.posix.dirname(file), specifier)

/** Adds every file that these files import, directly or indirectly. */
export function withImports(root, files) {
  const reached = new Set(files)
  // A set's iteration includes what is added during it.
  for (const file of reached) {
    if (!/\.(ts|tsx|mjs|js|astro)$/.test(file)) continue
    for (const { target } of projectImports(root, file)) if (existsSync(path.join(root, target))) reached.add(target)
  }
  return [...reached]
}
