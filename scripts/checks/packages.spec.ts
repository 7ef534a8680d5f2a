import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { sbom } from '../sbom.mjs'
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

it('the SBOM names every shipped package with its version and hash', () => {
  const { components } = sbom()
  const manifest = readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8')
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> }
  const listed = new Map(components.map((each) => [each['bom-ref'], each]))
  for (const [name, version] of Object.entries(dependencies))
    expect(listed.get(`node_modules/${name}`)).toMatchObject({
      name,
      version,
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
    })
  expect(components.some(({ name }) => name === 'vitest')).toBe(false)
})
