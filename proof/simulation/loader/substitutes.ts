import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const DOUBLES = path.resolve(import.meta.dirname, '../doubles')

/** Modules of the product that reach outside the process, and what stands in for them. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  'backend/kernel/media/poster.ts': 'poster.ts',
  'backend/kernel/media/probeMp4.ts': 'probeMp4.ts',
  'backend/kernel/media/sha256.ts': 'sha256.ts',
  'backend/kernel/postgres/listen.ts': 'listen.ts',
  'projections/all.ts': 'projections.ts',
  'workflows/temporal/bundle.ts': 'bundle.ts',
  'workflows/temporal/temporalEngine.ts': 'temporalEngine.ts',
}

const urlOf = (folder: string, file: string) => pathToFileURL(path.join(folder, file)).href

/** Loads the substitutes instead of the modules. Call it before the product is loaded. */
export function registerSubstitutes(): void {
  const substitutes = new Map(
    Object.entries(SUBSTITUTES).map(([file, double]) => [urlOf(ROOT, file), urlOf(DOUBLES, double)]),
  )
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context)
      const url = substitutes.get(resolved.url)
      return url === undefined ? resolved : { ...resolved, url }
    },
  })
}
