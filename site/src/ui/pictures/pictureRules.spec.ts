import { describe, expect, it } from 'vitest'
import { FOREIGN_PICTURES } from '#backend/kernel/media/testing/foreignPictures.ts'
import { fileFault, isSentAsIs, isWide, pictureType, sizeFault } from './pictureRules.ts'

describe('a first frame', () => {
  it('must be a picture of at most 20 MB', () => {
    expect(fileFault(undefined, 10)).toBe('invalid_file_type')
    expect(fileFault('image/png', 20 * 1024 * 1024 + 1)).toBe('payload_too_large')
    expect(fileFault('image/jpeg', 20 * 1024 * 1024)).toBeUndefined()
  })

  it.each(FOREIGN_PICTURES.map((picture) => [picture.name, picture] as const))(
    'is judged by its bytes: %s',
    async (_, { make, type, refused }) => {
      const found = await pictureType(new Blob([new Uint8Array(await make())], { type }))
      // The server refuses only these types, so that they are converted here.
      expect([fileFault(found, 10), isSentAsIs(found ?? '')]).toEqual([undefined, refused !== 'invalid_file_type'])
    },
  )

  it.each(['', '<svg xmlns="http://www.w3.org/2000/svg"/>', '\0\0\0\x18ftypmp42', 'RIFF\0\0\0\0WAVE', '%PDF-1.7'])(
    'is not %j with the type of a picture',
    async (text) => {
      expect(await pictureType(new Blob([text], { type: 'image/png' }))).toBeUndefined()
    },
  )

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
