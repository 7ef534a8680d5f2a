import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { ImageError, inspectImage } from './firstFrame.ts'
import { normaliseImage } from './normaliseImage.ts'

/** Four quarters: red, green / blue, white. */
function picture(width: number, height: number, type: 'jpeg' | 'png' = 'jpeg'): Buffer {
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  const colours = ['#ff0000', '#00ff00', '#0000ff', '#ffffff']
  colours.forEach((colour, i) => {
    context.fillStyle = colour
    context.fillRect((i % 2) * (width / 2), Math.floor(i / 2) * (height / 2), width / 2, height / 2)
  })
  return type === 'png' ? canvas.toBuffer('image/png') : canvas.toBuffer('image/jpeg', 95)
}

function withOrientation(jpeg: Buffer, orientation: number): Buffer {
  const tiff = Buffer.from([
    0x4d,
    0x4d,
    0,
    42,
    0,
    0,
    0,
    8,
    0,
    1,
    1,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
  ])
  const body = Buffer.concat([Buffer.from('Exif\0\0'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, body.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)])
}

const codeOfError = (error: unknown) => (error instanceof ImageError ? error.code : `threw ${error}`)

function codeOf(buffer: Buffer): string {
  try {
    inspectImage(buffer)
    return 'accepted'
  } catch (error) {
    return codeOfError(error)
  }
}

/** A header without data. */
function pngHeader(width: number, height: number): Buffer {
  const buffer = Buffer.alloc(64)
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]).copy(buffer)
  buffer.writeUInt32BE(width, 16)
  buffer.writeUInt32BE(height, 20)
  return buffer
}

function jpegHeader(width: number, height: number): Buffer {
  const buffer = Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1])
  buffer.writeUInt16BE(height, 7)
  buffer.writeUInt16BE(width, 9)
  return buffer
}

describe('inspectImage', () => {
  it('reads the size of real JPEG and PNG files', () => {
    expect(inspectImage(picture(640, 360))).toEqual({ type: 'jpeg', width: 640, height: 360 })
    expect(inspectImage(picture(402, 502, 'png'))).toEqual({ type: 'png', width: 402, height: 502 })
  })

  it('finds the size after an EXIF segment and marker padding', () => {
    const jpeg = withOrientation(picture(640, 360), 1)
    const padded = Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xff]), jpeg.subarray(2)])
    expect(inspectImage(padded)).toMatchObject({ width: 640, height: 360 })
  })

  it('requires the shorter side to exceed 300 pixels', () => {
    expect(codeOf(pngHeader(301, 400))).toBe('accepted')
    expect(codeOf(pngHeader(300, 400))).toBe('image_too_small')
    expect(codeOf(jpegHeader(400, 300))).toBe('image_too_small')
  })

  it('requires an aspect ratio from 2:5 to 5:2, inclusive', () => {
    expect(codeOf(pngHeader(1000, 400))).toBe('accepted')
    expect(codeOf(pngHeader(400, 1000))).toBe('accepted')
    expect(codeOf(pngHeader(1001, 400))).toBe('image_aspect_ratio')
    expect(codeOf(jpegHeader(400, 1001))).toBe('image_aspect_ratio')
  })

  it('rejects huge dimensions from the header alone', () => {
    expect(codeOf(pngHeader(0xffffffff, 0xffffffff))).toBe('image_too_large')
    expect(codeOf(pngHeader(8000, 5001))).toBe('image_too_large')
    expect(codeOf(jpegHeader(65535, 65535))).toBe('image_too_large')
    expect(codeOf(pngHeader(8000, 5000))).toBe('accepted')
  })

  it('accepts fewer pixels with more than 32 bits each, which take longer to decode', () => {
    const of64Bits = (width: number, height: number) =>
      Buffer.from(pngHeader(width, height)).fill('1006', 24, 26, 'hex')
    expect(codeOf(of64Bits(5000, 4000))).toBe('accepted')
    expect(codeOf(of64Bits(5001, 4000))).toBe('image_too_large')
    const cmyk = (width: number, height: number) => Buffer.from(jpegHeader(width, height)).fill(4, 11, 12)
    expect(codeOf(cmyk(4000, 4000))).toBe('accepted')
    expect(codeOf(cmyk(4001, 4000))).toBe('image_too_large')
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a GIF with another name', Buffer.from('GIF89a\x80\x02\x68\x01\0\0\0')],
    ['a GIF followed by a JPEG', Buffer.concat([Buffer.from('GIF89a'), picture(640, 360)])],
    ['a WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8 ')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"/>')],
    ['a page that starts like a JPEG', Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.from('<html></html>')])],
    ['a PNG signature alone', picture(640, 360, 'png').subarray(0, 20)],
    ['a JPEG that ends before its size', picture(640, 360).subarray(0, 20)],
    ['a JPEG whose data comes before its size', Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 0xff, 0xd9])],
    ['a JPEG segment of length 0', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xc0, 0, 17, 8, 2, 0, 2, 0])],
    ['a height of 0', jpegHeader(640, 0)],
    ['a PNG without width', pngHeader(0, 640)],
  ])('rejects %s', (_name, buffer) => {
    expect(codeOf(buffer)).toBe('invalid_file_type')
  })
})

/** Returns a PNG with changed chunks. */
function rechunked(png: Buffer, change: (type: string, data: Buffer) => Buffer | undefined): Buffer {
  const parts = [png.subarray(0, 8)]
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8)
    const data = change(type, png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
    if (data) parts.push(pngChunk(type, data))
  }
  return Buffer.concat(parts)
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

describe('normaliseImage, given a file', () => {
  const whole = (buffer: Buffer) => normaliseImage(buffer).then(() => 'accepted', codeOfError)
  const [png, jpeg] = [picture(640, 360, 'png'), picture(640, 360)]

  it('accepts complete pictures, and the clips and pictures that cameras append', async () => {
    const clip = Buffer.from('\0\0\0\x18ftypmp42')
    for (const tail of ['', '\0\0\0', jpeg, clip])
      expect(
        await Promise.all([png, jpeg].map((file) => whole(Buffer.concat([file, Buffer.from(tail as string)])))),
      ).toEqual(Array(2).fill('accepted'))
  })

  it('rejects a picture that is cut short anywhere after its header', async () => {
    for (const file of [png, jpeg])
      for (let part = 1; part < 20; part++) {
        const cut = file.subarray(0, Math.floor((file.length * part) / 20))
        expect([part, await whole(cut)]).toEqual([part, expect.stringMatching(/^(image_damaged|invalid_file_type)$/)])
      }
    expect(await whole(png.subarray(0, -1))).toBe('image_damaged')
  })

  const pixels = png.indexOf('IDAT') + 20
  it.each([
    ['a changed byte', Buffer.from(png).fill(png[pixels]! ^ 1, pixels, pixels + 1)],
    ['a false length', Buffer.from(png).fill(0x7f, 33, 34)],
    ['no data', rechunked(png, (type, data) => (type === 'IDAT' ? undefined : data))],
    ['no end', rechunked(png, (type, data) => (type === 'IEND' ? undefined : data))],
    ['an unknown critical chunk', Buffer.concat([png.subarray(0, 33), pngChunk('EVIL', png), png.subarray(33)])],
    ['thousands of scans', Buffer.concat([jpegHeader(640, 640), Buffer.alloc(4000, Buffer.from('ffda0002', 'hex'))])],
    ['no scan', Buffer.concat([jpegHeader(640, 640), Buffer.from('ffd9', 'hex')])],
    ['two frames', Buffer.concat([jpegHeader(640, 640), jpeg.subarray(2)])],
  ])('rejects %s', async (_, file) => {
    expect(await whole(file)).toBe('image_damaged')
  })

  it.each(['<script>', '\n<!doctype html>', '<?php', '#!/bin/sh', '%PDF-1.7', 'PK\x03\x04', 'MZ', '\x7fELF', 'GIF89a'])(
    'rejects a picture followed by %j',
    async (tail) => {
      for (const file of [png, jpeg])
        expect(await whole(Buffer.concat([file, Buffer.from(tail, 'latin1')]))).toBe('invalid_file_type')
    },
  )
})

describe('normaliseImage', () => {
  // Position of the first quarter (red) in the upright picture: [right half, lower half].
  const redCorner = { 1: [0, 0], 2: [1, 0], 3: [1, 1], 4: [0, 1], 5: [0, 0], 6: [1, 0], 7: [1, 1], 8: [0, 1] } as const

  it.each(Object.entries(redCorner))('turns EXIF orientation %s upright', async (orientation, [right, lower]) => {
    const turned = Number(orientation) >= 5
    const result = await normaliseImage(withOrientation(picture(640, 480), Number(orientation)))
    expect([result.width, result.height]).toEqual(turned ? [480, 640] : [640, 480])
    const image = await loadImage(result.data)
    expect([image.width, image.height]).toEqual([result.width, result.height])
    const context = createCanvas(image.width, image.height).getContext('2d')
    context.drawImage(image, 0, 0)
    const [red, green, blue] = context.getImageData(
      (0.25 + right / 2) * image.width,
      (0.25 + lower / 2) * image.height,
      1,
      1,
    ).data
    expect(red).toBeGreaterThan(230)
    expect(green).toBeLessThan(30)
    expect(blue).toBeLessThan(30)
  })

  it('turns a picture upright whose XMP precedes its EXIF', async () => {
    const jpeg = withOrientation(picture(640, 480), 6)
    const body = Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>')
    const xmp = Buffer.concat([Buffer.from([0xff, 0xe1, 0, body.length + 2]), body])
    const { data } = await normaliseImage(Buffer.concat([jpeg.subarray(0, 2), xmp, jpeg.subarray(2)]))
    expect(inspectImage(data)).toMatchObject({ width: 480, height: 640 })
  })

  it('drops EXIF and appended data', async () => {
    const jpeg = withOrientation(picture(640, 480), 1)
    const script = Buffer.from('<script>alert(1)</script>')
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, script.length + 2]), script])
    const hiding = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2), Buffer.alloc(8), script])
    const { data } = await normaliseImage(hiding)
    expect(inspectImage(data)).toEqual({ type: 'jpeg', width: 640, height: 480 })
    expect(data.includes('Exif')).toBe(false)
    expect(data.includes('<script>')).toBe(false)
  })

  it('flattens transparency onto white', async () => {
    const empty = createCanvas(400, 400).toBuffer('image/png')
    const image = await loadImage((await normaliseImage(empty)).data)
    const context = createCanvas(400, 400).getContext('2d')
    context.drawImage(image, 0, 0)
    expect([...context.getImageData(200, 200, 1, 1).data]).toEqual([255, 255, 255, 255])
  })

  it('rejects a PNG that unpacks to fewer or more pixels than its header declares', async () => {
    for (const change of [(rows: Buffer) => rows.subarray(0, -1), (rows: Buffer) => Buffer.concat([rows, rows])]) {
      const file = rechunked(picture(640, 360, 'png'), (type, data) =>
        type === 'IDAT' ? deflateSync(change(inflateSync(data))) : data,
      )
      await expect(normaliseImage(file)).rejects.toMatchObject({ code: 'image_damaged' })
    }
  })

  it('rejects a picture without data, and a bomb without decoding it', async () => {
    await expect(normaliseImage(jpegHeader(640, 640))).rejects.toMatchObject({ code: 'image_damaged' })
    await expect(normaliseImage(pngHeader(60_000, 60_000))).rejects.toMatchObject({ code: 'image_too_large' })
  })
})
