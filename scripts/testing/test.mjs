import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildSiteIfStale, hasSite } from '../buildSite.mjs'
import { installMissing } from '../install.mjs'
import { NODE, ROOT, run, tool } from '../run.mjs'
import { buildServerIfStale } from '../server/buildServer.mjs'
import { findOrInstallChromium } from './chromium.mjs'
import { ONLY_FULL_RUN, ONLY_MEASURES } from './timedSpecs.mjs'

/** Folders with tests. */
const FOLDERS = ['backend', 'content', 'projections', 'proof', 'renderer', 'scripts', 'site', 'workflows']

const vitestArgs = process.argv.slice(2).filter((arg) => arg !== '--full')
const full = vitestArgs.length < process.argv.length - 2
const filters = vitestArgs.filter((arg) => !arg.startsWith('-'))

await installMissing()
const env = { KINORA_TEST_COUNTS: path.join(mkdtempSync(path.join(tmpdir(), 'kinora-counts-')), 'counts.json') }
if (full) env.KINORA_FULL = '1'
// The order of the tests of a file, and the choices of random tests. The full run looks for orders that fail.
env.KINORA_TEST_SEED = process.env.KINORA_TEST_SEED ?? (full ? String(Date.now() % 1e9) : '11')
const missing = []
if (!full && filters.length === 0) {
  env.KINORA_LEAVE_OUT = '1'
  const count = ONLY_MEASURES.length + ONLY_FULL_RUN.length
  missing.push(`${count} files of timedSpecs.mjs: they need npm run test:full, or their path`)
}
const specs = selectedSpecs()
if (specs.some((file) => /\.(?:int|e2e)\.spec/.test(file))) {
  await buildServerIfStale('dist-tests')
  env.KINORA_TEST_PROGRAMS = path.join(ROOT, 'dist-tests')
}
if (specs.some((file) => file.includes('.e2e.spec'))) {
  const chromium = await findOrInstallChromium()
  if (chromium) env.KINORA_CHROMIUM = chromium
  else missing.push('browser tests: no Chromium found, and none could be installed')
  if (hasSite()) await buildSiteIfStale()
  else missing.push('browser tests: there is no site yet')
}

const reporters = ['--reporter=default', `--reporter=${path.join(ROOT, 'scripts/testing/countTests.mjs')}`]
const { code } = await run(NODE, [tool('vitest'), 'run', ...reporters, ...vitestArgs], { env })

const counts = readCounts(env.KINORA_TEST_COUNTS)
if (code !== 0 && counts.failed === 0) counts.failed = 1
printList('Passed at the second attempt', counts.flaky)
printList('Skipped', [...missing, ...counts.reasons])
console.log(`Seed ${env.KINORA_TEST_SEED}; KINORA_TEST_SEED sets another order of tests`)
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0

function printList(title, lines) {
  if (lines.length > 0) console.log(`${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`)
}

/** Lists the files of tests that the arguments select. */
function selectedSpecs() {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true }).map((file) => `${folder}/${file}`),
  )
  const isWanted = (file) => filters.length === 0 || filters.some((filter) => file.includes(filter))
  return files.filter((file) => /\.spec\.tsx?$/.test(file) && isWanted(file))
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 0, skipped: 0, reasons: [], flaky: [] }
  } finally {
    rmSync(path.dirname(file), { recursive: true, force: true })
  }
}
