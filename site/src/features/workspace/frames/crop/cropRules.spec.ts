import { describe, expect, it } from 'vitest'
import { CENTRED, cropBox, cropEdges, maxZoom, panned, zoomed } from './cropRules.ts'

const PHOTO = { width: 3000, height: 2000 }
const PORTRAIT = 9 / 16

describe('a crop', () => {
  it('keeps the largest part of the ratio in the middle', () => {
    expect(cropBox(PHOTO, 1, CENTRED)).toEqual({ left: 500, top: 0, width: 2000, height: 2000 })
    expect(cropBox(PHOTO, 16 / 9, CENTRED)).toEqual({ left: 0, top: 156.25, width: 3000, height: 1687.5 })
  })

  it('is cut by the server at its edges, as fractions of the image', () => {
    expect(cropEdges(PHOTO, 1, CENTRED)).toEqual({ left: 1 / 6, top: 0, right: 5 / 6, bottom: 1 })
    expect(cropEdges(PHOTO, 1, { x: 1, y: 0, zoom: 2 })).toEqual({ left: 2 / 3, top: 0, right: 1, bottom: 0.5 })
  })

  it('follows a movement to the edge of the image and no further', () => {
    expect(panned(PHOTO, 1, CENTRED, -100, 50)).toEqual({ x: 0.4, y: 0.5, zoom: 1 })
    const far = panned(PHOTO, PORTRAIT, { ...CENTRED, zoom: 2 }, 9_999, -9_999)
    const { left, top, width } = cropBox(PHOTO, PORTRAIT, far)
    expect([left + width, top]).toEqual([3000, 0])
  })

  it('magnifies as long as its shorter side stays over 300 pixels', () => {
    const most = zoomed(PHOTO, 1, CENTRED, 100)
    expect(most.zoom).toBe(6)
    const small = { width: 800, height: 602 }
    const { height } = cropBox(small, 1, zoomed(small, 1, CENTRED, 100))
    expect(height).toBeCloseTo(301)
    expect(zoomed(small, 1, CENTRED, 0.1).zoom).toBe(1)
    expect(maxZoom({ width: 800, height: 300 }, 1)).toBeLessThan(1)
  })
})
