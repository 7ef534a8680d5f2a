import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inputsHash, siteInputs } from './buildSite.mjs'

const ROOT = path.resolve(import.meta.dirname, '..')
const inputs: string[] = siteInputs(ROOT)
const contracts = inputs.filter((file) => /^backend\/.*\bcontract\.ts$/.test(file))

describe('the build hash of the site', () => {
  const tree = mkdtempSync(path.join(os.tmpdir(), 'kinora-site-inputs-'))
  let before: string
  beforeAll(() => {
    for (const file of inputs) cpSync(path.join(ROOT, file), path.join(tree, file))
    before = inputsHash(tree)
  })
  afterAll(() => rmSync(tree, { recursive: true, force: true }))

  it('covers every contract that a file of the site names', () => {
    const sources = inputs.filter((file) => /^site\/.*\.(ts|tsx|astro)$/.test(file))
    const text = sources.map((file) => readFileSync(path.join(ROOT, file), 'utf8')).join()
    const named = [...text.matchAll(/#(backend\/[^'"]*contract\.ts)/g)].map(([, file]) => file)
    expect(contracts).toEqual(expect.arrayContaining(named))
    expect(contracts).toContain('backend/operators/contract.ts')
  })

  it('covers contracts that only other contracts import', () => {
    expect(contracts).toContain('backend/subscriptions/plans.contract.ts')
  })

  it.each(contracts)('changes with %s', (contract) => {
    const file = path.join(tree, contract)
    const content = readFileSync(file)
    appendFileSync(file, '\n// changed\n')
    expect(inputsHash(tree)).not.toBe(before)
    writeFileSync(file, content)
    expect(inputsHash(tree)).toBe(before)
  })

  it('ignores tests and files that the site does not import', () => {
    expect(inputs.filter((file) => /\.spec\.tsx?$|^backend\/(main|.*routes)\.ts$/.test(file))).toEqual([])
  })
})

const dist = path.join(ROOT, 'site/dist')

describe.skipIf(!existsSync(dist))(`the built site${existsSync(dist) ? '' : ' (needs npm run build)'}`, () => {
  it('contains no key that is new in each build', () => {
    const key = Buffer.from(readFileSync(path.join(dist, '.build'), 'utf8'), 'hex').toString('base64')
    expect(readFileSync(path.join(dist, 'server/entry.mjs'), 'utf8')).toContain(`"key":"${key}"`)
  })
})
