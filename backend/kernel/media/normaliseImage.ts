import { Readable } from 'node:stream'
import { buffer as readAll } from 'node:stream/consumers'
import { createInflate } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { type CropEdges, PICTURE_BACKGROUND } from './contract.ts'
import { ImageError, inspectWholeImage, MAX_PIXELS, pixelsOf } from './firstFrame.ts'
import type { ImageFile, ImageHeader } from './imageFile.ts'

const JPEG_QUALITY = 92
/** Longer side of the stored picture. Videos have at most 1920 pixels, and providers accept files up to 20 MB. */
const MAX_SIDE = 2560
/** Largest exponent that sharp takes. A PNG of linear light has 2.2. */
const MAX_GAMMA = 3
/** Larger than zlib's default of 16 kB: unpacking 160 MB is three times as fast. */
const INFLATE_CHUNK = 1 << 17

/**
 * Checks an image and re-encodes it as JPEG: upright according to its EXIF orientation, with transparency flattened
 * onto white, in sRGB, without metadata, and with a longer side of at most 2560 pixels. Keeps only the part of a crop.
 * @throws ImageError
 */
export async function normaliseImage(
  buffer: Buffer,
  crop?: CropEdges,
): Promise<{ data: Buffer; width: number; height: number }> {
  const file = inspectWholeImage(buffer, crop)
  try {
    if (file.data) await assertUnpackedSize(file, file.data)
    // Many cameras write JPEGs that libjpeg warns about; errors and missing data still fail. Without an end marker,
    // a warning is the only sign of missing data; libvips does not see that of the last row of blocks.
    const failOn = file.isOpen ? 'warning' : 'error'
    const image = sharp(Buffer.concat(file.parts), { failOn, limitInputPixels: MAX_PIXELS })
    const upright = image.autoOrient()
    if (crop) upright.extract(pixelsOf(crop, (await image.metadata()).autoOrient))
    const size = { width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true } as const
    const resized = upright.flatten({ background: PICTURE_BACKGROUND }).resize({ ...size, kernel: 'linear' })
    correctGamma(resized, file)
    const jpeg = resized.jpeg({ quality: JPEG_QUALITY })
    const { data, info } = await jpeg.toBuffer({ resolveWithObject: true })
    return { data, width: info.width, height: info.height }
  } catch (cause) {
    if (cause instanceof ImageError) throw cause
    throw Object.assign(new ImageError('image_damaged', `The ${file.type} picture is damaged`), { cause })
  }
}

/** Shows the samples of a PNG as browsers do, which ignore differences under 5 %. libvips corrects only by profiles. */
function correctGamma(image: Sharp, { gamma = 1 }: ImageFile): void {
  if (Math.abs(gamma - 1) < 0.05 || gamma === 0) return
  const within = (exponent: number) => Math.min(MAX_GAMMA, Math.max(1, exponent))
  image.gamma(within(1 / gamma), within(gamma))
}

/** Rejects a PNG with more pixel data than its header declares: libpng would inflate the excess and then ignore it. */
async function assertUnpackedSize({ width, height, bytesPerPixel }: ImageHeader, data: readonly Buffer[]) {
  const row = Math.ceil(width * bytesPerPixel)
  // Interlacing splits a row across at most four passes, each with a filter byte and up to one byte of padding.
  let left = height * (row + 5)
  const inflated = Readable.from(data).pipe(createInflate({ chunkSize: INFLATE_CHUNK }))
  for await (const part of inflated as AsyncIterable<Buffer>) {
    left -= part.length
    if (left < 0) throw new RangeError('unpacks to more pixels than the header promises')
  }
}

/**
 * Entry point of the child process that `normaliseInChild` starts: reads a crop from its argument and an image from
 * stdin, and writes a JPEG to stdout, or the code of an ImageError before it exits with 1.
 */
async function runAsChild(): Promise<void> {
  // More threads would take more memory for the same CPU time.
  sharp.concurrency(1)
  try {
    const [, , crop] = process.argv
    const { data } = await normaliseImage(await readAll(process.stdin), crop ? JSON.parse(crop) : undefined)
    process.stdout.write(data)
  } catch (error) {
    if (!(error instanceof ImageError)) throw error
    process.exitCode = 1
    process.stdout.write(error.code)
  }
}

if (import.meta.main) await runAsChild()
