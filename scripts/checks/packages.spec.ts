import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { packageFaults } from './packages.mjs'

const ALLOWED = { licences: ['MIT'], unstated: { old: 'MIT' }, installScripts: { native: 'selects a binary' } }
const LOCK = {
  packages: {
    '': { license: 'Secret' },
    'node_modules/native': { license: 'MIT', hasInstallScript: true },
    'node_modules/native/node_modules/old': {},
  },
}
const withPackage = (name: string, stated: object) => ({
  packages: { ...LOCK.packages, [`node_modules/${name}`]: stated },
})

it('all licences and install scripts of this project are on the list', () => {
  expect(packageFaults()).toEqual([])
})

it('names packages with a licence or an install script that is not on the list', () => {
  expect(packageFaults(LOCK, ALLOWED)).toEqual([])
  const faults = (stated: object) => packageFaults(withPackage('@a/new', stated), ALLOWED)
  expect(faults({ license: 'AGPL-3.0' })).toEqual(['@a/new has the licence AGPL-3.0, which is not allowed'])
  expect(faults({})).toEqual(['@a/new states no licence: look it up and add it to "unstated"'])
  expect(faults({ license: 'MIT', hasInstallScript: true })).toEqual([
    '@a/new runs a script when it is installed, which is not allowed',
  ])
})

it('names entries of the list that no package needs', () => {
  expect(packageFaults({ packages: {} }, ALLOWED)).toEqual([
    'no package has the licence MIT',
    'native has no install script any more',
  ])
})

it('the SBOM names every shipped package with its version and hash', { timeout: 60_000 }, () => {
  const cwd = path.resolve(import.meta.dirname, '../..')
  const bom = JSON.parse(execFileSync('npm', ['run', '-s', 'sbom'], { cwd, encoding: 'utf8' })) as {
    bomFormat: string
    components: { name: string; version: string; hashes?: object[] }[]
  }
  expect(bom.bomFormat).toBe('CycloneDX')
  const { dependencies } = JSON.parse(readFileSync(path.join(cwd, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const listed = new Map(bom.components.map(({ name, version }) => [name, version]))
  expect(Object.keys(dependencies).filter((name) => !listed.has(name))).toEqual([])
  expect(bom.components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([])
})
