import { describe, expect, it } from 'vitest'
import { heldCamera, pathOf } from './drawDepth.ts'

const CLIP = [6, 16 / 9] as const
const at = (...held: [movement: string, progress: number][]) =>
  heldCamera(
    held.map(([movement, progress]) => ({ movement, progress })),
    ...CLIP,
  )

describe('a camera that is held by hand', () => {
  it('is where the renderer’s camera is at that progress of the movement', () => {
    for (const progress of [0, 0.3, 1]) expect(at(['右移', progress])).toEqual(pathOf(['右移'], ...CLIP)(progress))
    expect(at(['右移', 0]).truck).toBeCloseTo(pathOf(['左移'], ...CLIP)(1).truck)
  })

  it('combines the axes of a stick', () => {
    const both = at(['右移', 1], ['下降', 0.2])
    expect(both.truck).toBe(pathOf(['右移'], ...CLIP)(1).truck)
    expect(both.pedestal).toBe(pathOf(['下降'], ...CLIP)(0.2).pedestal)
    expect(at().zoom).toBe(1)
  })
})
