import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { builtFile, builtPages } from './testing/builtPages.ts'
import { htmlFaults } from './testing/htmlFaults.ts'

// A check of the whole site takes ten seconds. The pages of a kind have one layout, and the languages too.
it('writes valid HTML on the built pages', () => {
  const pages = builtPages()
  expect(pages.length).toBeGreaterThan(50)
  const looked = sampled(pages, pages.length / 3)
  const faults = looked.map((address) => [address, htmlFaults(readFileSync(builtFile(address), 'utf8'))])
  expect(faults.filter(([, found]) => found!.length > 0)).toEqual([])
})

it('shows no Markdown as text', () => {
  const textOf = (html: string) => html.replace(/<(script|style|pre|code)\b[\s\S]*?<\/\1>/g, '').replace(/<[^>]+>/g, '')
  const left = builtPages().map((address) => [
    address,
    textOf(readFileSync(builtFile(address), 'utf8')).match(/\*\*.*|\]\(\S*\)/g),
  ])
  expect(left.filter(([, found]) => found)).toEqual([])
})
