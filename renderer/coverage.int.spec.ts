import { describe, expect, it } from 'vitest'
import { CAMERA_MOVEMENT_VALUES } from '../backend/tasks/catalogue/models.contract.ts'
import { lexicon } from './reading/lexicon.ts'
import { PLACES } from './scene.ts'
import { frameOf, meanDifference, SIZE, sceneOf } from './testing/frames.ts'

const NAMES = Object.keys(PLACES)
const wordFor = (place: string) => lexicon().nameOf({ kind: 'place', value: place }, 'en')!

describe('buildScene', () => {
  it.each(NAMES)('%s covers every pixel of the frame under every movement', async (place) => {
    for (const movement of CAMERA_MOVEMENT_VALUES.filter(
      (_, n) => process.env.KINORA_FULL || n % 8 === NAMES.indexOf(place) % 8,
    )) {
      const draw = await sceneOf(`a fox, ${wordFor(place)}`, [movement])
      for (const progress of [0, 0.5, 1]) {
        // Uncovered pixels differ between a black and a white background.
        const onBlack = frameOf(draw, progress)
        const onWhite = frameOf(draw, progress, SIZE, '#ffffff')
        expect(meanDifference(onBlack, onWhite), `${movement} at ${progress}`).toBeLessThan(0.01)
      }
    }
  })
})
