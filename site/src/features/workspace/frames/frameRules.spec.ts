import { describe, expect, it } from 'vitest'
import { fileFault, isWide, sizeFault } from './frameRules.ts'

describe('a first frame', () => {
  it('must be a JPG or PNG of at most 20 MB', () => {
    expect(fileFault({ type: 'image/gif', size: 10 })).toBe('invalid_file_type')
    expect(fileFault({ type: 'image/png', size: 20 * 1024 * 1024 + 1 })).toBe('payload_too_large')
    expect(fileFault({ type: 'image/jpeg', size: 20 * 1024 * 1024 })).toBeUndefined()
  })

  it('must have a ratio from 2:5 to 5:2 and a shorter side over 300 pixels', () => {
    expect(sizeFault(400, 1001)).toBe('image_aspect_ratio')
    expect(sizeFault(400, 1000)).toBeUndefined()
    expect(sizeFault(1000, 400)).toBeUndefined()
    expect(sizeFault(300, 300)).toBe('image_too_small')
    expect(sizeFault(301, 301)).toBeUndefined()
  })

  it('counts as wide near 16:9', () => {
    expect(isWide(1920, 1080)).toBe(true)
    expect(isWide(800, 800)).toBe(false)
  })
})
