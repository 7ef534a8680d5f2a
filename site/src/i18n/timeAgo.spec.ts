import { describe, expect, it } from 'vitest'
import { catalogues } from './catalogue.ts'
import { translator } from './core.ts'
import { fileSize } from './fileSize.ts'
import { timeAgo } from './timeAgo.ts'

const now = Date.parse('2026-03-10T12:00:00.000Z')
const minutes = (count: number) => new Date(now - count * 60_000).toISOString()
const en = (iso: string) => timeAgo(iso, now, translator(catalogues.en, 'en'), 'en')

describe('timeAgo', () => {
  it('formats minutes, hours and days, then the date', () => {
    expect([0, 1, 59, 60, 60 * 23, 60 * 24, 60 * 24 * 6].map((age) => en(minutes(age)))).toEqual([
      'just now',
      '1 minute ago',
      '59 minutes ago',
      '1 hour ago',
      '23 hours ago',
      '1 day ago',
      '6 days ago',
    ])
    expect(en(minutes(60 * 24 * 7))).toBe('Mar 3, 2026')
  })

  it('reads a future time as now', () => {
    expect(en(minutes(-5))).toBe('just now')
  })
})

describe('fileSize', () => {
  it('formats a size with its unit', () => {
    expect([512, 1536, 5 * 1024 * 1024, 3 * 1024 ** 3].map(fileSize)).toEqual(['512 B', '1.5 KB', '5.0 MB', '3.0 GB'])
  })
})
