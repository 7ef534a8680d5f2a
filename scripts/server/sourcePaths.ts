import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'esbuild'

/** Temporal's bundler reads it as a source. */
const SOURCES = ['workflows/temporal/sandbox.ts']
/** Made by other builds, which may not have run. */
const BUILT = ['site/dist', 'workflows/temporal/dist']

const OURS = /\/(?:backend|projections|workflows|renderer|content)\/.*\.ts$/
/** A path that a source builds from its own place, or another use of `import.meta`. */
const OWN_PATH =
  /new URL\('([^']+)', import\.meta\.url\)|path\.(?:join|resolve)\(import\.meta\.dirname, '([^']+)'\)|import\.meta\.(url|dirname|main)\b/g

/**
 * esbuild plugin. Keeps paths that sources build from `import.meta` true: paths of files point to the sources, and
 * paths of `programs` to the bundle. Positions in lines change, lines do not.
 */
export const sourcePaths = (root: string, programs: readonly string[]): Plugin => ({
  name: 'source paths',
  setup({ onLoad }) {
    onLoad({ filter: OURS }, ({ path: file }) => {
      const source = readFileSync(file, 'utf8')
      if (file.includes('/node_modules/')) return undefined
      const named = path.relative(root, file)
      const contents = withSourcePaths(inAscii(source, named), named, root, programs)
      // A function that V8 runs from a text cannot import by itself.
      return { loader: 'ts', contents: contents.replace(/\bimport\((?=[a-z])/g, '__import(') }
    })
  },
})

/**
 * Rewrites the uses of `import.meta` in a source for its place in the bundle.
 * @throws Error the source names a file that does not exist, or a program that is not in the bundle
 */
export function withSourcePaths(source: string, file: string, root: string, programs: readonly string[]): string {
  const folder = path.posix.dirname(file)
  const own = {
    url: `new URL('../${file}', import.meta.url).href`,
    dirname: `(import.meta.dirname + '/../${folder}')`,
    // A program is the main module if the process was started with the program's file of the bundle.
    main: programs.includes(file) ? `(process.argv[1] === import.meta.dirname + '/${bundled(file)}')` : 'false',
  }
  return source.replace(OWN_PATH, (expression, fromUrl: string, fromFolder: string, property?: keyof typeof own) => {
    if (property) return own[property]
    const named = fromUrl ?? fromFolder
    const target = path.posix.join(folder, named)
    if (programs.includes(target)) return expression.replace(named, `./${bundled(target)}`)
    if (target.endsWith('.ts') && !SOURCES.includes(target)) throw new Error(`${file}: ${target} is not in the bundle`)
    if (!BUILT.includes(target) && !existsSync(path.join(root, target))) throw new Error(`${file}: no ${target}`)
    return expression.replace('import.meta.url', own.url).replace('import.meta.dirname', own.dirname)
  })
}

/** Where an escape would mean something else than the character. */
const UNESCAPABLE = /\\[\u0080-\uffff]|String\.raw`[^`]*[\u0080-\uffff]/

/**
 * Escapes what is not ASCII. esbuild does so too, but not in regular expressions.
 * @throws Error a character stands after a backslash or in `String.raw`
 */
export function inAscii(source: string, file: string): string {
  const fault = UNESCAPABLE.exec(source)
  if (fault) throw new Error(`${file}: ${fault[0]} cannot be escaped`)
  return source.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Returns the name of a program in the bundle. */
const bundled = (program: string) => `${path.posix.basename(program, '.ts')}.js`
