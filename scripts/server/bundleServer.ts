import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
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
  '@temporalio/*',
  'nodemailer',
  'pg-native',
  'sharp',
  'web-push',
]

/** Bundled CommonJS requires the modules of Node.js and external packages. */
const REQUIRE = "import { createRequire as __from } from 'node:module'; const require = __from(import.meta.url);"

/** Bundles programs into a folder of the project's root. docs/decisions/0051-server-bundle.md. */
async function bundle(name: keyof typeof BUNDLES): Promise<void> {
  const output = path.join(ROOT, name)
  const programs = BUNDLES[name]
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: programs,
    outdir: output,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    external: EXTERNAL,
    plugins: [sourcePaths(ROOT, programs), leanPackages(ROOT)],
    banner: { js: REQUIRE },
    inject: [path.join(import.meta.dirname, 'prelude.ts')],
    sourcemap: 'external',
    sourcesContent: false,
    keepNames: true,
    write: false,
    logLevel: 'warning',
  })
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  for (const { path: file, contents, text } of outputFiles)
    if (file.endsWith('.map')) writeLines(file.slice(0, -'.map'.length), lineTable(JSON.parse(text)))
    else writeFileSync(file, contents)
}

/** Writes the files that `nameSourceLines` reads. */
function writeLines(file: string, { sources, rows }: LineTable): void {
  writeFileSync(`${file}.lines`, rows)
  const folder = path.dirname(file)
  const named = sources.map((source) => path.relative(ROOT, path.join(folder, source)))
  writeFileSync(`${file}.sources`, JSON.stringify(named))
}

await bundle(process.argv[2] as keyof typeof BUNDLES)
