import { describe, expect, it } from 'vitest'
import { type Filter, filterSearch, NO_FILTER, readFilter } from './filter.ts'

describe('the filter in the address of the library', () => {
  const filter: Filter = {
    ...{ text: '雪 & fox', type: 'image_to_video', model: 'MiniMax-Hailuo-02', days: 7 },
    ...{ favourites: true, folder: 'Trips #1', library: 'team' },
  }

  it('is read as it was written', () => {
    expect(readFilter(filterSearch(filter))).toEqual(filter)
    expect(filterSearch(NO_FILTER)).toBe('')
    expect(readFilter('')).toEqual(NO_FILTER)
  })

  it('uses the names of the API', () => {
    const names = [...new URLSearchParams(filterSearch(filter)).keys()]
    expect(names).toEqual(['q', 'task_type', 'model', 'favourites', 'folder', 'library', 'days'])
  })

  it.each([
    `?q=${'x'.repeat(201)}`,
    '?task_type=poem',
    `?model=${'x'.repeat(121)}`,
    '?days=8',
    '?days=-1',
    '?days=NaN',
    '?favourites=no',
    '?library=theirs',
    `?folder=${'x'.repeat(500)}`,
    '?folder=%00',
    '?q=%20&folder=',
  ])('ignores a bad value: %s', (search) => {
    expect(readFilter(search)).toEqual(NO_FILTER)
  })
})
