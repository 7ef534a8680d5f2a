import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { builtFile, builtPages } from './testing/builtPages.ts'
import { htmlFaults } from './testing/htmlFaults.ts'

it('writes valid HTML on every built page', () => {
  const faults = builtPages().map((address) => [address, htmlFaults(readFileSync(builtFile(address), 'utf8'))])
  expect(faults.length).toBeGreaterThan(50)
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
