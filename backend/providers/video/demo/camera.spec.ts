import { createCanvas } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { createCameraPath, MOVEMENTS, type Movement, parseMovement } from './camera.ts'
import { applyView, type Camera, coverage, screenToWorld } from './view.ts'

const VIEWPORT = { width: 1600, height: 900, horizon: 0.1 }
const OPTIONS = { duration: 6, aspect: 16 / 9, seed: 5 }
const CHINESE = '左移 右移 左摇 右摇 推进 拉远 上升 下降 上摇 下摇 变焦推近 变焦拉远 晃动 跟随 固定'.split(' ')
const context = createCanvas(1, 1).getContext('2d')

/** Where a point of the world appears, in pixels. */
function project(camera: Camera, nearness: number, x: number, y: number): [number, number] {
  applyView(context, camera, nearness, VIEWPORT)
  const { a, b, c, d, e, f } = context.getTransform()
  return [a * x + c * y + e, b * x + d * y + f]
}

/** How far a centred point moves over the clip, in pixels. */
function shift(movement: string, nearness: number): [number, number] {
  const path = createCameraPath([movement], OPTIONS)
  const [x0, y0] = project(path(0), nearness, 0, 0.1)
  const [x1, y1] = project(path(1), nearness, 0, 0.1)
  return [x1 - x0, y1 - y0]
}

/** How much larger things are at the end. */
function growth(movement: string, nearness: number): number {
  const path = createCameraPath([movement], OPTIONS)
  const size = (at: number) => project(path(at), nearness, 0.1, 0)[0] - project(path(at), nearness, -0.1, 0)[0]
  return size(1) / size(0)
}

describe('parseMovement', () => {
  it('knows the 15 movements by id and by Chinese value', () => {
    expect(MOVEMENTS).toHaveLength(15)
    expect(CHINESE.map(parseMovement)).toEqual(MOVEMENTS)
    expect(MOVEMENTS.map(parseMovement)).toEqual(MOVEMENTS)
    expect(['orbit', '', 'toString', '推'].map(parseMovement)).toEqual([undefined, undefined, undefined, undefined])
  })
})

describe('createCameraPath', () => {
  it.each<[Movement, 0 | 1, 1 | -1]>([
    ['truck_left', 0, 1],
    ['truck_right', 0, -1],
    ['pedestal_up', 1, 1],
    ['pedestal_down', 1, -1],
    ['tracking', 0, -1],
  ])('%s moves near things more than far ones, against the camera', (movement, axis, sign) => {
    expect(sign * shift(movement, 1)[axis]).toBeGreaterThan(100)
    expect(sign * shift(movement, 1)[axis]).toBeGreaterThan(3 * sign * shift(movement, 0.2)[axis])
    expect(Math.abs(shift(movement, 0)[axis])).toBeLessThan(1)
  })

  it.each<[Movement, 0 | 1, 1 | -1]>([
    ['pan_left', 0, 1],
    ['pan_right', 0, -1],
    ['tilt_up', 1, 1],
    ['tilt_down', 1, -1],
  ])('%s moves everything alike, against the camera', (movement, axis, sign) => {
    expect(sign * shift(movement, 1)[axis]).toBeGreaterThan(100)
    expect(shift(movement, 1)[axis]).toBeCloseTo(shift(movement, 0)[axis], 6)
    expect(shift(movement, 1)[1 - axis]).toBeCloseTo(0, 6)
  })

  it('push_in and pull_out change the size of near things most', () => {
    expect(growth('push_in', 1)).toBeGreaterThan(1.4)
    expect(growth('push_in', 0.1)).toBeLessThan(1.1)
    expect(growth('pull_out', 1)).toBeCloseTo(1 / growth('push_in', 1), 6)
  })

  it('zoom_in and zoom_out change the size of everything alike', () => {
    expect(growth('zoom_in', 1)).toBeGreaterThan(1.3)
    expect(growth('zoom_in', 0)).toBeCloseTo(growth('zoom_in', 1), 6)
    expect(growth('zoom_out', 0.5)).toBeCloseTo(1 / growth('zoom_in', 0.5), 6)
  })

  it('static stays where it is, shake trembles about it, no movement drifts', () => {
    const still = createCameraPath(['static'], OPTIONS)
    expect(still(1)).toEqual(still(0))
    const shaken = Array.from({ length: 48 }, (_, i) => createCameraPath(['shake'], OPTIONS)(i / 47))
    expect(new Set(shaken.map(({ pan }) => pan)).size).toBeGreaterThan(40)
    expect(Math.max(...shaken.map(({ roll }) => Math.abs(roll)))).toBeGreaterThan(0.001)
    expect(Math.max(...shaken.map(({ pan }) => Math.abs(pan)))).toBeLessThan(0.03)
    expect(createCameraPath([], OPTIONS)(1)).not.toEqual(createCameraPath([], OPTIONS)(0))
  })

  it('combines up to three movements and ignores more, repeats and unknown names', () => {
    const three = createCameraPath(['推进', 'pan_left', 'tilt_up'], OPTIONS)(1)
    expect(three.dolly).toBeGreaterThan(0)
    expect(three.pan).toBeLessThan(0)
    expect(three.tilt).toBeLessThan(0)
    expect(createCameraPath(['推进', 'push_in', 'orbit', 'pan_left', 'tilt_up', 'zoom_in'], OPTIONS)(1)).toEqual(three)
  })

  it.each(MOVEMENTS)('%s moves smoothly', (movement) => {
    const path = createCameraPath([movement], OPTIONS)
    for (let frame = 1; frame < 144; frame++) {
      const [before, after] = [path((frame - 1) / 143), path(frame / 143)]
      const [x0, y0] = project(before, 0.5, 0.5, 0.3)
      const [x1, y1] = project(after, 0.5, 0.5, 0.3)
      expect(Math.hypot(x1 - x0, y1 - y0)).toBeLessThan(20)
    }
  })
})

describe('screenToWorld', () => {
  it('undoes applyView', () => {
    const camera = { truck: 0.2, pedestal: -0.1, dolly: 0.3, pan: 0.05, tilt: -0.04, zoom: 1.2, roll: 0.02 }
    const [x, y] = screenToWorld(camera, 0.6, VIEWPORT, 300, 700)
    const [pixelX, pixelY] = project(camera, 0.6, x, y)
    expect(pixelX).toBeCloseTo(300, 3)
    expect(pixelY).toBeCloseTo(700, 3)
  })
})

describe('coverage', () => {
  it.each(MOVEMENTS)('holds every corner of every frame of %s', (movement) => {
    const path = createCameraPath([movement], OPTIONS)
    const box = coverage(path, 0.7, VIEWPORT, 6)
    for (let frame = 0; frame < 144; frame++) {
      for (const [pixelX, pixelY] of [
        [0, 0],
        [1600, 0],
        [0, 900],
        [1600, 900],
      ] as const) {
        const [x, y] = screenToWorld(path(frame / 143), 0.7, VIEWPORT, pixelX, pixelY)
        expect(x > box.left && x < box.right && y > box.top && y < box.bottom).toBe(true)
      }
    }
  })
})
