import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const IMPORT = /(?:from\s+|import\s+|import\()\s*['"]([^'"]+)['"]/g

/**
 * Lists a source file's imports of project files, with the path of each target. Uses no parser, because this script
 * also runs before packages are installed and reads .astro files.
 */
export function projectImports(root, file) {
  return [...readFileSync(path.join(root, file), 'utf8').matchAll(IMPORT)]
    .map(([, specifier]) => specifier)
    .filter((specifier) => /^[#.]/.test(specifier))
    .map((specifier) => ({ specifier, target: targetOf(specifier, file) }))
}

const targetOf = (specifier, file) =>
  specifier.startsWith('#') ? specifier.slice(1) : path.posix.join(path.posix.dirname(file), specifier)

/** Returns the files and every file that they import, directly or indirectly. */
export function withImports(root, files) {
  const reached = new Set(files)
  // Iterating over a set includes elements added during the iteration.
  for (const file of reached) {
    if (!/\.(ts|tsx|mjs|js|astro)$/.test(file)) continue
    for (const { target } of projectImports(root, file)) if (existsSync(path.join(root, target))) reached.add(target)
  }
  return [...reached]
}
