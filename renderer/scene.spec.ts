import { createCanvas, loadImage } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { CAMERA_MOVEMENT_VALUES } from '../backend/tasks/catalogue/models.contract.ts'
import { describe as describeScene } from './description.ts'
import { outputSize } from './film.ts'
import { TIMES_OF_DAY } from './palette.ts'
import { buildPhoto } from './photo.ts'
import { readPrompt } from './reading/readPrompt.ts'
import type { DrawFrame } from './scene.ts'
import { frameOf, meanDifference, SIZE, sceneOf } from './testing/frames.ts'

/** Finds the shift in pixels that aligns two frames best. */
function findShift(a: Uint8ClampedArray, b: Uint8ClampedArray, { width, height } = SIZE): { x: number; y: number } {
  const reach = 10
  let best = { x: 0, y: 0, cost: Infinity }
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      let cost = 0
      for (let y = reach; y < height - reach; y++) {
        for (let x = reach; x < width - reach; x++) {
          cost += Math.abs(a[(y * width + x) * 4]! - b[((y + dy) * width + x + dx) * 4]!)
        }
      }
      if (cost < best.cost) best = { x: dx, y: dy, cost }
    }
  }
  return best
}

async function photoOf(movements: readonly string[], size = SIZE): Promise<DrawFrame> {
  const canvas = createCanvas(640, 360)
  const context = canvas.getContext('2d')
  for (let i = 0; i < 300; i++) {
    context.fillStyle = `hsl(${i * 47} 60% ${20 + ((i * 31) % 60)}%)`
    context.fillRect((i * 97) % 640, (i * 61) % 360, 50, 40)
  }
  return buildPhoto(
    await loadImage(canvas.toBuffer('image/png')),
    describeScene(readPrompt('a photo'), 'studio', 5),
    movements,
    size,
  )
}

describe('buildScene', () => {
  it.each(['lake', 'street', 'beach', 'desert'])('%s looks different at every time of day', async (place) => {
    const words = { dawn: 'dawn', day: 'noon', sunset: 'sunset', night: 'night' }
    const scenes = await Promise.all(TIMES_OF_DAY.map((time) => sceneOf(`${place} ${words[time]}`, ['固定'])))
    const frames = scenes.map((draw) => frameOf(draw, 0.5))
    for (const frame of frames) expect(new Set(frame).size).toBeGreaterThan(60)
    expect(meanDifference(frames[1]!, frames[3]!)).toBeGreaterThan(30)
  })

  it.each(['cat', 'person', 'birds', 'hot air balloon', 'rain', 'snow', 'petals', 'falling leaves'])(
    'shows %s where the prompt asks for it',
    async (thing) => {
      const plain = frameOf(await sceneOf('meadow at noon', ['固定']), 0.45)
      const asked = frameOf(await sceneOf(`meadow at noon with ${thing}`, ['固定']), 0.45)
      const changed = asked.reduce((count, value, i) => count + Number(Math.abs(value - plain[i]!) > 8), 0)
      expect(changed).toBeGreaterThan(20)
    },
  )

  it('keeps the camera with a runner, who stays in the middle of the frame', async () => {
    const draw = await sceneOf('a white horse runs across the desert at night', [])
    const brightest = (pixels: Uint8ClampedArray) => {
      let [sum, weight] = [0, 0]
      for (let y = 38; y < 64; y++)
        for (let x = 0; x < 128; x++) {
          const light = pixels[(y * 128 + x) * 4]! > 120 ? 1 : 0
          sum += light * x
          weight += light
        }
      return sum / weight
    }
    for (const progress of [0.1, 0.9]) expect(Math.abs(brightest(frameOf(draw, progress)) - 64)).toBeLessThan(40)
  })

  it.each<[string, 'x' | 'y', 1 | -1]>([
    ['左摇', 'x', 1],
    ['右摇', 'x', -1],
    ['上摇', 'y', 1],
    ['下摇', 'y', -1],
    ['左移', 'x', 1],
    ['右移', 'x', -1],
  ])('%s moves the picture against the camera', async (movement, axis, sign) => {
    const draw = await sceneOf('forest in the morning', [movement])
    const shift = findShift(frameOf(draw, 0.4), frameOf(draw, 0.6))
    expect(sign * shift[axis]).toBeGreaterThanOrEqual(1)
  })

  it('draws the same frame for the same seed, in any order, and another take for another seed', async () => {
    const draw = await sceneOf('a whale in the ocean', ['晃动'])
    const [late, early] = [frameOf(draw, 0.8), frameOf(draw, 0.1)]
    const again = await sceneOf('a whale in the ocean', ['晃动'])
    expect(frameOf(again, 0.1)).toEqual(early)
    expect(frameOf(again, 0.8)).toEqual(late)
    expect(
      meanDifference(frameOf(await sceneOf('a whale in the ocean', ['晃动'], SIZE, 99), 0.1), early),
    ).toBeGreaterThan(1)
  })

  it.each(['lake', 'forest', 'city', 'beach'])('%s is the same place under every movement', async (place) => {
    // Halfway through a pan, the camera points straight ahead, like a fixed one.
    const fixed = frameOf(await sceneOf(`${place} at noon`, ['固定']), 0.5)
    expect(meanDifference(fixed, frameOf(await sceneOf(`${place} at noon`, ['左摇']), 0.5))).toBeLessThan(4)
    expect(meanDifference(fixed, frameOf(await sceneOf(`${place} at noon`, ['右移']), 0.5))).toBeLessThan(4)
  })
})

describe('buildPhoto', () => {
  it.each(CAMERA_MOVEMENT_VALUES)('covers the frame under %s', async (movement) => {
    const draw = await photoOf([movement])
    for (const progress of [0, 0.31, 0.5, 0.77, 1]) {
      const difference = meanDifference(frameOf(draw, progress), frameOf(draw, progress, SIZE, '#ffffff'))
      expect(difference, `at ${progress}`).toBeLessThan(0.01)
    }
  })

  it.each<[string, 'x' | 'y', 1 | -1]>([
    ['左摇', 'x', 1],
    ['右移', 'x', -1],
    ['下摇', 'y', -1],
    ['上升', 'y', 1],
  ])('%s moves the picture against the camera', async (movement, axis, sign) => {
    const draw = await photoOf([movement])
    expect(sign * findShift(frameOf(draw, 0.35), frameOf(draw, 0.65))[axis]).toBeGreaterThanOrEqual(1)
  })

  it('covers a tall frame with three combined movements', async () => {
    const size = { width: 60, height: 150, seconds: 10 }
    const draw = await photoOf(['左移', '拉远', '晃动'], size)
    for (const progress of [0, 0.5, 1]) {
      const difference = meanDifference(frameOf(draw, progress, size), frameOf(draw, progress, size, '#ffffff'))
      expect(difference).toBeLessThan(0.01)
    }
  })
})

describe('outputSize', () => {
  it.each(['512P', '720P', '768P', '1080P'])(
    'uses %s as the shorter side, 16:9 without a picture, and even dimensions',
    (resolution) => {
      const short = Number.parseInt(resolution, 10)
      expect(outputSize(resolution).height).toBe(short)
      for (const aspect of [16 / 9, 0.4, 2.5, 1, 0.777, 1.501]) {
        const { width, height } = outputSize(resolution, aspect)
        expect(Math.min(width, height)).toBe(short)
        expect([width % 2, height % 2]).toEqual([0, 0])
        expect(Math.abs(width / height / aspect - 1)).toBeLessThan(0.005)
      }
    },
  )
})
