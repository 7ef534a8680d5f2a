import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { logLines, logPage, PAGE } from './logLines.mjs'

describe('log lines', () => {
  it('are listed in docs/operations/log-lines.md (update: node scripts/logLines.mjs --write)', () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(logPage())
  })

  it('are lower case and have no full stop', () => {
    const lines = logLines().map(({ message }) => message)
    expect(lines.length).toBeGreaterThan(20)
    expect(lines.filter((message) => /[A-Z]|[.!]$/.test(message))).toEqual([])
  })
})
