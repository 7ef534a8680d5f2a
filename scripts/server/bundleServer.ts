import { isAscii } from 'node:buffer'
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import type { LineTable } from '#backend/kernel/observability/sourceLines.ts'
import { ROOT } from '../run.mjs'
import { leanPackages } from './leanPackages.ts'
import { lineTable } from './lineTable.ts'
import { BUNDLES } from './programs.mjs'
import { sourcePaths } from './sourcePaths.ts'

/**
 * Packages that are loaded from node_modules: they contain native code or WebAssembly, or start threads from their own
 * files, or only some installations need them.
 */
const EXTERNAL = [
  '@contentauth/c2pa-wasm',
  '@eventstore/db-client',
  '@ffmpeg-installer/ffmpeg',
  '@fontsource-variable/*',
  '@grpc/grpc-js',
  '@napi-rs/canvas',
  '@opentelemetry/*',
  '@temporalio/*',
  'nodemailer',
  'pdfkit',
  'pg-native',
  'sharp',
  'web-push',
]

/** A server is a function in ASCII, see runServer.ts. */
const FUNCTION = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  supported: { 'dynamic-import': false },
  banner: {
    js: `(function (require, __filename, __dirname, __import) {
const __href = (file) => require('node:url').pathToFileURL(file).href;
const __url = __href(__filename), __resolve = (name) => __href(require.resolve(name));`,
  },
  footer: { js: '})' },
  define: {
    ...{ 'import.meta.url': '__url', 'import.meta.resolve': '__resolve' },
    ...{ 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  },
} satisfies BuildOptions

/** Other programs are modules that share code. Bundled CommonJS requires the modules of Node.js and external packages. */
const MODULES = {
  format: 'esm',
  splitting: true,
  chunkNames: '[name]-[hash]',
  banner: {
    js: `import { createRequire as __from } from 'node:module';
const require = __from(import.meta.url), __import = (name) => import(name);`,
  },
} satisfies BuildOptions

const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node24',
  external: EXTERNAL,
  inject: [path.join(import.meta.dirname, 'prelude.ts')],
  sourcemap: 'external',
  sourcesContent: false,
  keepNames: true,
  minifyWhitespace: true,
  lineLimit: 160,
  // Comments are not always ASCII.
  legalComments: 'external',
  write: false,
  logLevel: 'warning',
} satisfies BuildOptions

/** Bundles servers and programs into a folder of the project's root. docs/decisions/0051-server-bundle.md. */
async function bundle(name: keyof typeof BUNDLES): Promise<void> {
  const output = path.join(ROOT, name)
  const { servers, programs } = BUNDLES[name]
  const plugins = [sourcePaths(ROOT, programs), leanPackages(ROOT)]
  const options = { ...OPTIONS, plugins, outdir: output, entryNames: '[name]' }
  const functions = await build({ ...options, ...FUNCTION, entryPoints: servers })
  const modules = await build({ ...options, ...MODULES, entryPoints: [...programs, 'scripts/server/runServer.ts'] })
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  for (const { path: file, contents, text } of [...functions.outputFiles, ...modules.outputFiles])
    if (file.endsWith('.map')) writeLines(file.slice(0, -'.map'.length), lineTable(JSON.parse(text)))
    else writeFileSync(file, contents)
  for (const { path: file, contents } of functions.outputFiles) if (file.endsWith('.cjs')) writeStarter(file, contents)
}

/** Writes the main module that runs a server. */
function writeStarter(file: string, contents: Uint8Array): void {
  if (!isAscii(contents)) throw new Error(`${file} is not ASCII`)
  const hash = createHash('sha256').update(contents).digest('hex')
  const code = `import { runServer } from './runServer.js'\nrunServer(new URL('./${path.basename(file)}', import.meta.url), '${hash}')\n`
  writeFileSync(file.replace('.cjs', '.js'), code)
}

/** Writes the files that `nameSourceLines` reads. */
function writeLines(file: string, { sources, rows }: LineTable): void {
  writeFileSync(`${file}.lines`, rows)
  const folder = path.dirname(file)
  const named = sources.map((source) => path.relative(ROOT, path.join(folder, source)))
  writeFileSync(`${file}.sources`, JSON.stringify(named))
}

await bundle(process.argv[2] as keyof typeof BUNDLES)
