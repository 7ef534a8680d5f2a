import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { typedKey } from './typedKey.ts'

const SITE = path.resolve(import.meta.dirname, '../..')

it.each([
  [{ isComposing: false, keyCode: 13 }, 'Enter'],
  [{ isComposing: true, keyCode: 13 }, undefined],
  // Safari
  [{ isComposing: false, keyCode: 229 }, undefined],
])('returns the key of %o as %s', (event, key) => {
  expect(typedKey({ key: 'Enter', ...event })).toBe(key)
})

it('is what every key handler reads that reacts to more than arrows', () => {
  const sources = readdirSync(SITE, { recursive: true }).map(String)
  const handlers = sources
    .filter((file) => /\.(tsx?|astro|js)$/.test(file) && !/\.spec\./.test(file))
    .map((file) => [file, readFileSync(path.join(SITE, file), 'utf8')] as const)
    .filter(([, text]) => /\bonKey(Down|Up)=|'key(down|up|press)'/.test(text))
  const others = handlers.filter(([, text]) => !text.includes('typedKey(')).map(([file]) => path.basename(file))
  expect(handlers.length).toBeGreaterThan(5)
  expect(others.sort()).toEqual(['Chart.tsx', 'Tabs.tsx', 'TaskPlayer.tsx'])
})
