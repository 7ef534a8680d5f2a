/** Pictures as other programs write them. */
import { crc32 } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'

type Colour = readonly [red: number, green: number, blue: number]

export interface ForeignPicture {
  readonly name: string
  /** Type that a browser reports for the file. */
  readonly type: string
  readonly make: () => Promise<Buffer>
  /** Code of the refusal of a file that is uploaded as it is. */
  readonly refused?: string
  /** Colours of the quarters of the upright picture, in rows, as a viewer shows them. */
  readonly shown?: readonly Colour[]
  /** Largest difference of a colour. Larger if the file itself has been converted. */
  readonly tolerance?: number
}

const [WIDTH, HEIGHT] = [800, 640]
const QUARTERS: readonly Colour[] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 0],
]
/** Colours that print on coated paper has, so that they survive CMYK. */
const PRINTABLE: readonly Colour[] = [
  [180, 60, 60],
  [60, 140, 80],
  [60, 80, 150],
  [200, 180, 70],
]
const withExponent = (exponent: number) =>
  PRINTABLE.map((colour) => colour.map((value) => Math.round(255 * (value / 255) ** exponent)))
/** The same colours as PNGs with a gamma of 1 and of 0.28571 have them. */
const [LINEAR, LIGHTER] = [withExponent(1 / 0.45455), withExponent(0.28571 / 0.45455)]
const WHITE: Colour = [255, 255, 255]

/** Returns the pixels of four quarters. */
function quarters(colours: readonly (readonly number[])[]): Sharp {
  const channels = (colours[0]?.length ?? 3) as 3 | 4
  const pixels = Buffer.alloc(WIDTH * HEIGHT * channels)
  for (let at = 0; at < WIDTH * HEIGHT; at++) {
    const quarter = Number(at % WIDTH >= WIDTH / 2) + 2 * Number(at >= (WIDTH * HEIGHT) / 2)
    pixels.set(colours[quarter] ?? [], at * channels)
  }
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels } })
}
const plain = () => quarters(QUARTERS)
const jpegOf = (picture: Sharp) => picture.jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
const cut = async (file: Promise<Buffer>, bytes: number) => (await file).subarray(0, -bytes)
const png = (picture = plain()) => picture.png().toBuffer()
/** Returns a JPEG with stray bytes after its first segment. */
async function withStrayBytes(stray: string): Promise<Buffer> {
  const file = await jpegOf(plain()).toBuffer()
  const at = 4 + file.readUInt16BE(4)
  return Buffer.concat([file.subarray(0, at), Buffer.from(stray, 'latin1'), file.subarray(at)])
}

/** Returns a PNG with one more chunk after its header. Bits of its checksum can be false. */
async function withChunk(type: string, text: string, falseBits = 0, picture = plain()): Promise<Buffer> {
  const file = await png(picture)
  const body = Buffer.from(type + text, 'latin1')
  const numbers = Buffer.alloc(8)
  numbers.writeUInt32BE(body.length - 4, 0)
  numbers.writeUInt32BE((crc32(body) ^ falseBits) >>> 0, 4)
  return Buffer.concat([file.subarray(0, 33), numbers.subarray(0, 4), body, numbers.subarray(4), file.subarray(33)])
}

/** Returns a PNG whose first chunk of a type has a wrong checksum. */
async function withFalseSum(type: string): Promise<Buffer> {
  const file = Buffer.from(await png())
  const at = file.indexOf(type, 8, 'latin1')
  const sumAt = at + 4 + file.readUInt32BE(at - 4)
  file.writeUInt8(file.readUInt8(sumAt) ^ 1, sumAt)
  return file
}

/** A red left half on nothing. */
const logo = () =>
  quarters([
    [255, 0, 0, 255],
    [0, 0, 0, 0],
    [255, 0, 0, 255],
    [0, 0, 0, 0],
  ])
const RED: Colour = [255, 0, 0]
/** The upright picture of a file that is turned by a quarter to the right. */
const TURNED = [QUARTERS[2]!, QUARTERS[0]!, QUARTERS[3]!, QUARTERS[1]!]
const wide = (profile: string) => quarters(QUARTERS).withIccProfile(profile)

export const FOREIGN_PICTURES: readonly ForeignPicture[] = [
  { name: 'a JPEG without a type', type: '', make: () => jpegOf(plain()).toBuffer(), shown: QUARTERS },
  { name: 'a JPEG as image/jpg', type: 'image/jpg', make: () => jpegOf(plain()).toBuffer(), shown: QUARTERS },
  { name: 'a PNG as octets', type: 'application/octet-stream', make: png, shown: QUARTERS },
  {
    name: 'a JPEG without an end marker',
    type: 'image/jpeg',
    make: () => cut(jpegOf(plain()).toBuffer(), 2),
    shown: QUARTERS,
  },
  {
    name: 'a JPEG with half an end marker',
    type: 'image/jpeg',
    make: () => cut(jpegOf(plain()).toBuffer(), 1),
    shown: QUARTERS,
  },
  {
    name: 'a progressive JPEG without an end marker',
    type: 'image/jpeg',
    make: () => cut(jpegOf(plain()).jpeg({ progressive: true }).toBuffer(), 2),
    shown: QUARTERS,
  },
  {
    name: 'a JPEG with stray bytes between its segments',
    type: 'image/jpeg',
    make: () => withStrayBytes('hello\xff\x00\xff\xd0\x02'),
    shown: QUARTERS,
  },
  {
    name: 'a JPEG cut in its pixels',
    type: 'image/jpeg',
    make: () => cut(jpegOf(plain()).toBuffer(), 300),
    refused: 'image_damaged',
  },
  {
    name: 'a PNG with a wrong checksum of a text',
    type: 'image/png',
    make: () => withChunk('tEXt', 'parameters\0a cat', 1),
    shown: QUARTERS,
  },
  {
    name: 'a PNG with a wrong checksum of its time',
    type: 'image/png',
    make: () => withChunk('tIME', '\x07\xea\x0b\x1c\x11\x13\x12', 1),
    shown: QUARTERS,
  },
  {
    name: 'a PNG of linear light',
    type: 'image/png',
    make: () => withChunk('gAMA', '\0\x01\x86\xa0', 0, quarters(LINEAR)),
    shown: PRINTABLE,
  },
  {
    name: 'a PNG whose gamma is that of old screens',
    type: 'image/png',
    make: () => withChunk('gAMA', '\0\0\x6f\x9b', 0, quarters(LIGHTER)),
    shown: PRINTABLE,
  },
  {
    name: 'a PNG with a wrong checksum of its gamma',
    type: 'image/png',
    make: () => withChunk('gAMA', '\0\x01\x86\xa0', 1, quarters(PRINTABLE)),
    shown: PRINTABLE,
  },
  {
    name: 'a PNG with a wrong checksum of its header',
    type: 'image/png',
    make: () => withFalseSum('IHDR'),
    refused: 'image_damaged',
  },
  {
    name: 'a PNG with a wrong checksum of its pixels',
    type: 'image/png',
    make: () => withFalseSum('IDAT'),
    refused: 'image_damaged',
  },
  {
    name: 'a PNG cut in its pixels',
    type: 'image/png',
    make: () => cut(png(), 60),
    refused: 'image_damaged',
  },
  {
    name: 'a WebP named .jpg',
    type: 'image/jpeg',
    make: () => plain().webp({ lossless: true }).toBuffer(),
    refused: 'invalid_file_type',
  },
  {
    name: 'an AVIF named .jpg',
    type: 'image/jpeg',
    make: () => plain().avif({ quality: 90, effort: 0 }).toBuffer(),
    refused: 'invalid_file_type',
  },
  {
    name: 'a transparent PNG',
    type: 'image/png',
    make: () => logo().png().toBuffer(),
    shown: [RED, WHITE, RED, WHITE],
  },
  {
    name: 'CMYK without a profile',
    type: 'image/jpeg',
    make: () => jpegOf(quarters(PRINTABLE).toColourspace('cmyk')).toBuffer(),
    shown: PRINTABLE,
    tolerance: 24,
  },
  { name: 'Display P3', type: 'image/jpeg', make: () => jpegOf(wide('p3')).toBuffer(), shown: QUARTERS },
  {
    name: 'a turned JPEG',
    type: 'image/jpeg',
    make: () => jpegOf(plain()).withMetadata({ orientation: 6 }).toBuffer(),
    shown: TURNED,
  },
]

/** Returns the colours in the middles of the quarters of a picture, in rows. */
export async function quartersOf(picture: Buffer): Promise<Colour[]> {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true })
  return [0, 1, 2, 3].map((quarter) => {
    const x = Math.floor(info.width * (0.25 + 0.5 * (quarter % 2)))
    const y = Math.floor(info.height * (0.25 + 0.5 * Math.floor(quarter / 2)))
    const [red = 0, green = 0, blue = 0] = data.subarray((y * info.width + x) * info.channels)
    return [red, green, blue]
  })
}
