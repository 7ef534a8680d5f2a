import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VIOLATIONS, type Violation } from '../testing/plantedViolations.ts'

interface Found {
  readonly rule: { readonly name: string }
  readonly from: string
  readonly to: string
}

const ROOT = path.resolve(import.meta.dirname, '../..')
const CONFIG = path.join(ROOT, '.dependency-cruiser.mjs')
const FOLDERS = ['backend', 'projections', 'workflows', 'renderer', 'site', 'scripts', 'proof']

function violationsIn(tree: string): Found[] {
  const folders = FOLDERS.filter((folder) => existsSync(path.join(tree, folder)))
  const cruiser = path.join(ROOT, 'node_modules/.bin/depcruise')
  const args = [cruiser, '--config', CONFIG, '--output-type', 'json', ...folders]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: tree, encoding: 'utf8', maxBuffer: 1 << 28 })
  if (!stdout.startsWith('{')) throw new Error(stderr || stdout)
  return JSON.parse(stdout).summary.violations
}

/** Writes a file with the import of each violation, and an empty file for each target without content. */
function plant(tree: string, violations: readonly Violation[]): void {
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true })
    writeFileSync(path.join(tree, file), text, { flag: 'a' })
  }
  for (const file of ['package.json', 'tsconfig.json']) copyFileSync(path.join(ROOT, file), path.join(tree, file))
  for (const { from, to, source, target } of violations) {
    const isPackage = to.startsWith('node_modules/')
    const relative = path.posix.relative(path.posix.dirname(from), to)
    const specifier = isPackage ? to.split('/')[1] : relative.startsWith('.') ? relative : `./${relative}`
    write(from, source ?? `import { it as that } from '${specifier}'\nexport const it = [that]\n`)
    if (isPackage) write(`node_modules/${specifier}/package.json`, `{ "name": "${specifier}", "main": "index.js" }`)
    if (!source?.includes(`'${to}'`)) write(to, target ?? (isPackage ? 'module.exports = {}\n' : ''))
  }
}

// `npm run check` applies the rules to the project itself.
describe('the import rules', () => {
  const tree = mkdtempSync(path.join(os.tmpdir(), 'kinora-boundaries-'))
  afterAll(() => rmSync(tree, { recursive: true, force: true }))
  let found: Found[] = []
  beforeAll(() => {
    plant(tree, VIOLATIONS)
    found = violationsIn(tree)
  })

  it.each(VIOLATIONS)('detect a violation of: $rule', ({ rule, from, to }) => {
    const names = found.filter((one) => one.from === from && one.to === to).map((one) => one.rule.name)
    expect(names).toContain(rule)
  })

  it('have a planted violation for every rule', () => {
    const rules = readFileSync(CONFIG, 'utf8').match(/(?<=rule\(\s*')[^']+/g)
    expect(new Set(VIOLATIONS.map(({ rule }) => rule))).toEqual(new Set(rules))
  })
})
