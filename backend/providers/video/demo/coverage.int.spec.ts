import { describe, expect, it } from 'vitest'
import { CAMERA_MOVEMENT_VALUES } from '#backend/tasks/catalogue/models.contract.ts'
import { FULL } from '#backend/testing/fullRun.ts'
import { BIOMES } from './prompt.ts'
import { frameOf, meanDifference, SIZE, sceneOf } from './testing/frames.ts'

describe('buildScene', () => {
  it.each(BIOMES)('%s covers every pixel of the frame under every movement', { timeout: 60_000 }, (biome) => {
    for (const movement of CAMERA_MOVEMENT_VALUES.filter((_, n) => FULL || n % 3 === BIOMES.indexOf(biome) % 3)) {
      const draw = sceneOf(biome, [movement])
      for (const progress of [0, 0.5, 1]) {
        // Uncovered pixels differ between a black and a white background.
        const onBlack = frameOf(draw, progress)
        const onWhite = frameOf(draw, progress, SIZE, '#ffffff')
        expect(meanDifference(onBlack, onWhite), `${movement} at ${progress}`).toBeLessThan(0.01)
      }
    }
  })
})
