import { describe, expect, it } from 'vitest'
import { averageText, dayOf, growthText, numberText, percentText, shortDay, timeText, trendOf } from './figures.ts'

describe('the board figures', () => {
  it.each([
    [12.54, '+12.5%', 'up'],
    [-3.25, '-3.2%', 'down'],
    [0, '+0.0%', 'flat'],
    [-0.04, '+0.0%', 'flat'],
    [1250, '+1,250.0%', 'up'],
  ])('format a growth of %d as %s', (percent, text, trend) => {
    expect([growthText(percent, 'en'), trendOf(percent)]).toEqual([text, trend])
  })

  it('format numbers and percentages in the page’s language', () => {
    expect([numberText(1_234_567, 'en'), percentText(83.46, 'zh')]).toEqual(['1,234,567', '83.5%'])
  })

  it('give averages below ten a decimal', () => {
    expect([1 / 7, 0, 17 / 7, 9.96, 33_178.1].map((value) => averageText(value, 'en'))).toEqual([
      '0.1',
      '0',
      '2.4',
      '10',
      '33,178',
    ])
  })

  it('omit the year of a day', () => {
    expect([shortDay('2026-11-09', 'en'), shortDay('2026-11-09', 'zh')]).toEqual(['Nov 9', '11月9日'])
  })

  it('use the operator’s time zone, or UTC for an unknown zone', () => {
    const at = '2026-11-20T23:30:05.000Z'
    expect(timeText(at, 'Asia/Shanghai', 'time', 'en')).toBe('07:30:05')
    expect(timeText(at, 'Mars/Olympus', 'time', 'en')).toBe('23:30:05')
    expect(dayOf(Date.parse(at), 'Asia/Shanghai')).toBe('2026-11-21')
    expect(dayOf(Date.parse(at), 'America/New_York')).toBe('2026-11-20')
  })
})
