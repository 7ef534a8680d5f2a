import { Readable } from 'node:stream'
import { buffer as readAll } from 'node:stream/consumers'
import { createInflate } from 'node:zlib'
import sharp from 'sharp'
import { ImageError, type ImageInfo, inspectWholeImage, MAX_PIXELS } from './firstFrame.ts'

const JPEG_QUALITY = 92
/** Samples per pixel, by PNG colour type. */
const PNG_CHANNELS = [1, 0, 3, 1, 2, 0, 4]

/**
 * Checks an image and re-encodes it as JPEG: upright according to its EXIF orientation, with transparency flattened
 * onto white, and without metadata. @throws ImageError
 */
export async function normaliseImage(buffer: Buffer): Promise<{ data: Buffer; width: number; height: number }> {
  const file = inspectWholeImage(buffer)
  try {
    if (file.data) await assertUnpackedSize(buffer, file, file.data)
    // Many cameras write JPEGs that libjpeg warns about; errors and missing data still fail.
    const image = sharp(buffer.subarray(0, file.end), { failOn: 'error', limitInputPixels: MAX_PIXELS })
    const jpeg = image.autoOrient().flatten({ background: '#ffffff' }).jpeg({ quality: JPEG_QUALITY })
    const { data, info } = await jpeg.toBuffer({ resolveWithObject: true })
    return { data, width: info.width, height: info.height }
  } catch (cause) {
    throw Object.assign(new ImageError('image_damaged', `The ${file.type} picture is damaged`), { cause })
  }
}

/** Rejects a PNG with more pixel data than its header declares: libpng would inflate the excess and then ignore it. */
async function assertUnpackedSize(buffer: Buffer, { width, height }: ImageInfo, data: readonly Buffer[]) {
  const [depth, colourType] = [buffer[24]!, buffer[25]!]
  const row = Math.ceil((width * depth * (PNG_CHANNELS[colourType] ?? 0)) / 8)
  // Interlacing splits a row across at most four passes, each with a filter byte and up to one byte of padding.
  let left = height * (row + 5)
  for await (const part of Readable.from(data).pipe(createInflate()) as AsyncIterable<Buffer>) {
    left -= part.length
    if (left < 0) throw new RangeError('unpacks to more pixels than the header promises')
  }
}

// Entry point of the child process that `normaliseInChild` starts: reads an image from stdin, writes a JPEG to stdout.
if (import.meta.main) process.stdout.write((await normaliseImage(await readAll(process.stdin))).data)
