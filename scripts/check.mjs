import { existsSync } from 'node:fs'
import path from 'node:path'
import { hasSite } from './buildSite.mjs'
import { astroImportFaults } from './checks/astroImports.mjs'
import { catalogueFaults } from './checks/catalogues.mjs'
import { checkCommitMessages } from './checks/commitMessages.mjs'
import { packageFaults } from './checks/packages.mjs'
import { installMissing } from './install.mjs'
import { NODE, ROOT, run, secondsSince, tool } from './run.mjs'

const FOLDERS = ['backend', 'projections', 'workflows', 'renderer', 'site', 'scripts', 'proof']

await installMissing()
const folders = FOLDERS.filter((folder) => existsSync(path.join(ROOT, folder)))

const program = (name, ...args) =>
  run(NODE, [tool(name), ...args], { quiet: true, env: { ASTRO_TELEMETRY_DISABLED: '1' } })
const inspection = async (faults, skipped) => ({ code: faults.length > 0 ? 1 : 0, output: faults.join('\n'), skipped })
const commits = checkCommitMessages()
/** TypeScript 7 takes a third of the time of 6, which `astro check` needs. One thread each, because they run side by side. */
const types = (project) =>
  run(NODE, ['node_modules/typescript-native/bin/tsc', '--noEmit', '--singleThreaded', '-p', project], { quiet: true })
const pageTypes = () => program('astro', 'check', '--root', 'site', '--tsconfig', 'tsconfig.astro.json')

const results = await Promise.all([
  report('types', () => types('.')),
  ...(hasSite() ? [report('types of the site', () => types('site')), report('types of pages', pageTypes)] : []),
  report('lint and format', () => program('biome', 'check', '--error-on-warnings', '.')),
  report('import boundaries', () => program('depcruise', '--config', '.dependency-cruiser.mjs', ...folders)),
  report('import boundaries of pages', () => inspection(astroImportFaults())),
  report('catalogues', () => inspection(catalogueFaults())),
  report('regular expressions', () => run(NODE, ['scripts/checks/regexes.ts'], { quiet: true })),
  report('unused files, exports and packages', () => program('knip', '--no-progress')),
  report('licences and install scripts', () => inspection(packageFaults())),
  report('commit messages', () => inspection(commits.faults, commits.skipped)),
])
process.exitCode = results.every(Boolean) ? 0 : 1

/** Waits for a check and prints its result on one line, followed by its output if it failed. */
async function report(name, check) {
  const start = Date.now()
  const { code, output, skipped } = await check()
  if (skipped) console.log(`- ${name}: skipped, ${skipped}`)
  else
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${secondsSince(start)})${code === 0 ? '' : `\n${output.trim()}\n`}`)
  return code === 0
}
