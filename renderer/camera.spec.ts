import { createCanvas } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { createCameraPath } from '../backend/tasks/camera/contract.ts'
import { CAMERA_MOVEMENT_VALUES, type CameraMovement } from '../backend/tasks/catalogue/models.contract.ts'
import { applyView, type Camera, coverage, screenToWorld } from './view.ts'

const VIEWPORT = { width: 1600, height: 900, horizon: 0.1 }
const OPTIONS = { duration: 6, aspect: 16 / 9, seed: 5 }
const CHINESE = '左移 右移 左摇 右摇 推进 拉远 上升 下降 上摇 下摇 变焦推近 变焦拉远 晃动 跟随 固定'.split(' ')
const context = createCanvas(1, 1).getContext('2d')

/** Projects a point of the world to pixels. */
function project(camera: Camera, nearness: number, x: number, y: number): [number, number] {
  applyView(context, camera, nearness, VIEWPORT)
  const { a, b, c, d, e, f } = context.getTransform()
  return [a * x + c * y + e, b * x + d * y + f]
}

/** Returns the movement of a centred point during the clip, in pixels. */
function shift(movement: string, nearness: number): [number, number] {
  const path = createCameraPath([movement], OPTIONS)
  const [x0, y0] = project(path(0), nearness, 0, 0.1)
  const [x1, y1] = project(path(1), nearness, 0, 0.1)
  return [x1 - x0, y1 - y0]
}

/** Returns the scale of the last frame relative to the first. */
function growth(movement: string, nearness: number): number {
  const path = createCameraPath([movement], OPTIONS)
  const size = (at: number) => project(path(at), nearness, 0.1, 0)[0] - project(path(at), nearness, -0.1, 0)[0]
  return size(1) / size(0)
}

describe('createCameraPath', () => {
  it('supports the 15 movements of the contract and drifts for any other name', () => {
    expect(CHINESE).toEqual(CAMERA_MOVEMENT_VALUES)
    const paths = CHINESE.map((movement) => JSON.stringify([0.2, 0.9].map(createCameraPath([movement], OPTIONS))))
    expect(new Set(paths).size).toBe(15)
    expect(createCameraPath(['orbit', '', 'toString', '推'], OPTIONS)(1)).toEqual(createCameraPath([], OPTIONS)(1))
  })

  it.each<[CameraMovement, 0 | 1, 1 | -1]>([
    ['左移', 0, 1],
    ['右移', 0, -1],
    ['上升', 1, 1],
    ['下降', 1, -1],
    ['跟随', 0, -1],
  ])('%s moves near things more than far ones, against the camera', (movement, axis, sign) => {
    expect(sign * shift(movement, 1)[axis]).toBeGreaterThan(100)
    expect(sign * shift(movement, 1)[axis]).toBeGreaterThan(3 * sign * shift(movement, 0.2)[axis])
    expect(Math.abs(shift(movement, 0)[axis])).toBeLessThan(1)
  })

  it.each<[CameraMovement, 0 | 1, 1 | -1]>([
    ['左摇', 0, 1],
    ['右摇', 0, -1],
    ['上摇', 1, 1],
    ['下摇', 1, -1],
  ])('%s moves everything alike, against the camera', (movement, axis, sign) => {
    expect(sign * shift(movement, 1)[axis]).toBeGreaterThan(100)
    expect(shift(movement, 1)[axis]).toBeCloseTo(shift(movement, 0)[axis], 6)
    expect(shift(movement, 1)[1 - axis]).toBeCloseTo(0, 6)
  })

  it('推进 and 拉远 (push in, pull out) change the size of near things most', () => {
    expect(growth('推进', 1)).toBeGreaterThan(1.4)
    expect(growth('推进', 0.1)).toBeLessThan(1.1)
    expect(growth('拉远', 1)).toBeCloseTo(1 / growth('推进', 1), 6)
  })

  it('变焦推近 and 变焦拉远 (zoom) change the size of everything alike', () => {
    expect(growth('变焦推近', 1)).toBeGreaterThan(1.3)
    expect(growth('变焦推近', 0)).toBeCloseTo(growth('变焦推近', 1), 6)
    expect(growth('变焦拉远', 0.5)).toBeCloseTo(1 / growth('变焦推近', 0.5), 6)
  })

  it('固定 stays in place, 晃动 trembles around it, and no movement drifts', () => {
    const still = createCameraPath(['固定'], OPTIONS)
    expect(still(1)).toEqual(still(0))
    const shaken = Array.from({ length: 48 }, (_, i) => createCameraPath(['晃动'], OPTIONS)(i / 47))
    expect(new Set(shaken.map(({ pan }) => pan)).size).toBeGreaterThan(40)
    expect(Math.max(...shaken.map(({ roll }) => Math.abs(roll)))).toBeGreaterThan(0.001)
    expect(Math.max(...shaken.map(({ pan }) => Math.abs(pan)))).toBeLessThan(0.03)
    expect(createCameraPath([], OPTIONS)(1)).not.toEqual(createCameraPath([], OPTIONS)(0))
  })

  it('combines up to three movements and ignores more, repeats and unknown names', () => {
    const three = createCameraPath(['推进', '左摇', '上摇'], OPTIONS)(1)
    expect(three.dolly).toBeGreaterThan(0)
    expect(three.pan).toBeLessThan(0)
    expect(three.tilt).toBeLessThan(0)
    expect(createCameraPath(['推进', '推进', 'orbit', '左摇', '上摇', '变焦推近'], OPTIONS)(1)).toEqual(three)
  })

  it.each(CAMERA_MOVEMENT_VALUES)('%s moves smoothly', (movement) => {
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
    const [x, y] = screenToWorld(camera, 0.6, VIEWPORT, [300, 700])
    const [pixelX, pixelY] = project(camera, 0.6, x, y)
    expect(pixelX).toBeCloseTo(300, 3)
    expect(pixelY).toBeCloseTo(700, 3)
  })
})

describe('coverage', () => {
  it.each(CAMERA_MOVEMENT_VALUES)('holds every corner of every frame of %s', (movement) => {
    const path = createCameraPath([movement], OPTIONS)
    const box = coverage(path, 0.7, VIEWPORT, 6)
    for (let frame = 0; frame < 144; frame++) {
      for (const [pixelX, pixelY] of [
        [0, 0],
        [1600, 0],
        [0, 900],
        [1600, 900],
      ] as const) {
        const [x, y] = screenToWorld(path(frame / 143), 0.7, VIEWPORT, [pixelX, pixelY])
        expect(x > box.left && x < box.right && y > box.top && y < box.bottom).toBe(true)
      }
    }
  })
})
