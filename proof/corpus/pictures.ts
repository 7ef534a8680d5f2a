import { FOREIGN_PICTURES } from '#backend/kernel/media/testing/foreignPictures.ts'
import type { Case, Part, Step } from './case.ts'

/** Returns a form with a picture, as a browser sends it. */
function fileOf(picture: string): readonly Part[] {
  const { type } = FOREIGN_PICTURES.find(({ name }) => name === picture)!
  const head = 'Content-Disposition: form-data; name="file"; filename="a.jpg"'
  return [{ head: type ? `${head}\r\nContent-Type: ${type}` : head, picture }]
}
/** Uploads a picture and reads what is stored. */
const shows = (picture: string, colours: readonly (readonly number[])[]): readonly Step[] => [
  {
    send: 'POST /api/v1/videos/upload-image',
    as: 'user',
    form: fileOf(picture),
    status: 200,
    take: { image: /"image_url":"(?:https?:\/\/[^/]+)?(\/[^"]+)"/ },
  },
  { send: 'GET {image}', as: 'user', status: 200, colours },
]
const refuses = (picture: string, code: string): Step => ({
  send: 'POST /api/v1/videos/upload-image',
  as: 'user',
  form: fileOf(picture),
  status: 422,
  code,
})
const [RED, GREEN, BLUE, YELLOW, WHITE] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 0],
  [255, 255, 255],
] as const
const QUARTERS = [RED, GREEN, BLUE, YELLOW]

/** Pictures of other programs, generated. */
export const pictures: readonly Case[] = [
  {
    id: 'a picture that is to be turned',
    report: 'https://github.com/immich-app/immich/issues/3227',
    steps: shows('a turned JPEG', [BLUE, RED, YELLOW, GREEN]),
  },
  {
    id: 'nothing behind a drawing',
    report: 'https://github.com/lovell/sharp/issues/687',
    steps: shows('a transparent PNG', [RED, WHITE, RED, WHITE]),
  },
  {
    id: 'colours for print without a profile',
    report: 'https://github.com/lovell/sharp/issues/2365',
    steps: shows('CMYK without a profile', [
      [180, 60, 60],
      [60, 140, 80],
      [60, 80, 150],
      [200, 180, 70],
    ]),
  },
  {
    id: 'colours of a wide gamut',
    report: 'https://github.com/lovell/sharp/issues/2727',
    steps: shows('Display P3', QUARTERS),
  },
  {
    id: 'a JPEG that lacks its end',
    report: 'https://github.com/libvips/libvips/issues/1509',
    steps: shows('a JPEG without an end marker', QUARTERS),
  },
  {
    id: 'a JPEG that lacks a part of its pixels',
    report: 'https://github.com/libvips/libvips/issues/2309',
    steps: [refuses('a JPEG cut in its pixels', 'image_damaged')],
  },
  {
    id: 'a wrong checksum that no viewer minds',
    report: 'https://github.com/lovell/sharp/issues/793',
    steps: [
      ...shows('a PNG with a wrong checksum of a text', QUARTERS),
      refuses('a PNG with a wrong checksum of its pixels', 'image_damaged'),
    ],
  },
  {
    id: 'a picture without a type',
    report: 'https://github.com/immich-app/immich/issues/2719',
    steps: [...shows('a JPEG without a type', QUARTERS), ...shows('a PNG as octets', QUARTERS)],
  },
  {
    id: 'a picture with the type of another',
    report: 'https://github.com/immich-app/immich/issues/28962',
    steps: [...shows('a JPEG as image/jpg', QUARTERS), refuses('a WebP named .jpg', 'invalid_file_type')],
  },
]
