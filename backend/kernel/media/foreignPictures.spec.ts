import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { CropEdges } from './contract.ts'
import type { ImageError } from './firstFrame.ts'
import { normaliseImage } from './normaliseImage.ts'
import { FOREIGN_PICTURES, quartersOf } from './testing/foreignPictures.ts'

/** The right half without its top, whose quarters are in two of the whole picture. */
const RIGHT: CropEdges = { left: 0.5, top: 0.2, right: 1, bottom: 1 }
const CROPS = [
  ['whole', undefined, [0, 1, 2, 3]],
  ['cropped', RIGHT, [1, 1, 3, 3]],
] as const

describe.each(CROPS)('a picture of another program, %s,', (_, crop, quarters) => {
  it.each(FOREIGN_PICTURES.map((picture) => [picture.name, picture] as const))(
    'is stored as it is shown, or refused with the reason: %s',
    async (_, { make, shown, refused, tolerance = 8 }) => {
      const stored = await normaliseImage(await make(), crop).catch((error: ImageError) => error)
      if (stored instanceof Error) return expect(stored).toMatchObject({ name: 'ImageError', code: refused })
      const colours = await quartersOf(stored.data)
      const isShown = colours.map((colour, at) =>
        colour.every((value, i) => Math.abs(value - (shown?.[quarters[at]!]?.[i] ?? Number.NaN)) <= tolerance),
      )
      expect({ colours, isShown }).toEqual({ colours, isShown: Array(4).fill(true) })
    },
  )
})

describe('a crop', () => {
  const jpeg = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#808080' } })
      .jpeg()
      .toBuffer()
  const cut = async (file: Promise<Buffer>, crop: CropEdges) =>
    normaliseImage(await file, crop).then(
      ({ width, height }) => `${width} × ${height}`,
      ({ code }) => code,
    )

  it('keeps a part of a picture that is too wide itself', async () => {
    expect(await cut(jpeg(1600, 600), { left: 0, top: 0, right: 2 / 3, bottom: 1 })).toBe('1067 × 600')
  })

  it.each([
    [{ left: 0, top: 0, right: 0.5, bottom: 0.5 }, 'image_too_small'],
    [{ left: 0.4, top: 0.4, right: 0.4000001, bottom: 1 }, 'image_too_small'],
    [{ left: 0, top: 0.1, right: 1, bottom: 0.62 }, 'image_aspect_ratio'],
    [{ left: 0, top: 0.1, right: 0.99, bottom: 0.8 }, '792 × 420'],
  ])('must have the shape of a picture: %j', async (crop, outcome) => {
    expect(await cut(jpeg(800, 600), crop)).toBe(outcome)
  })

  it('ignores damage below it', async () => {
    const file = jpeg(800, 2000).then((whole) => whole.subarray(0, -200))
    expect(await cut(file, { left: 0, top: 0, right: 1, bottom: 0.25 })).toBe('800 × 500')
    expect(await cut(file, { left: 0, top: 0.5, right: 1, bottom: 1 })).toBe('image_damaged')
  })
})
