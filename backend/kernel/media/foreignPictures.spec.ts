import { describe, expect, it } from 'vitest'
import type { ImageError } from './firstFrame.ts'
import { normaliseImage } from './normaliseImage.ts'
import { FOREIGN_PICTURES, quartersOf } from './testing/foreignPictures.ts'

describe('a picture of another program', () => {
  it.each(FOREIGN_PICTURES.map((picture) => [picture.name, picture] as const))(
    'is stored as it is shown, or refused with the reason: %s',
    async (_, { make, shown, refused, tolerance = 8 }) => {
      const stored = await normaliseImage(await make()).catch((error: ImageError) => error)
      if (stored instanceof Error) return expect(stored).toMatchObject({ name: 'ImageError', code: refused })
      const colours = await quartersOf(stored.data)
      const isShown = colours.map((colour, quarter) =>
        colour.every((value, i) => Math.abs(value - (shown?.[quarter]?.[i] ?? Number.NaN)) <= tolerance),
      )
      expect({ colours, isShown }).toEqual({ colours, isShown: Array(4).fill(true) })
    },
  )
})
