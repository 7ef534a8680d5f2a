import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { crc32 } from 'node:zlib'
import { createCanvas } from '@napi-rs/canvas'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FOREIGN_PICTURES, quartersOf } from '../../kernel/media/testing/foreignPictures.ts'
import {
  differenceOf,
  lacksPictures,
  OTHER_PICTURES,
  readOtherPicture,
} from '../../kernel/media/testing/otherPrograms.ts'
import { FULL } from '../../testing/fullRun.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { blocked } from '../../testing/whileLocked.ts'
import { createImageUploads } from './imageUploads.ts'
import { createUploadLimits } from './uploadLimits.ts'

type Fault = Readonly<{ path: string; code: string }>

let db: TemporaryDatabase
beforeAll(async () => {
  db = await startTemporaryDatabase()
})
afterAll(() => db.close())

/** Returns a PNG whose first text is its prompt, as programs that generate pictures write it. */
function pictureWithPrompt(): Buffer {
  const png = createCanvas(640, 360).toBuffer('image/png')
  const chunk = Buffer.from('tEXtprompt\0a cat')
  const head = Buffer.alloc(4)
  head.writeUInt32BE(chunk.length - 4)
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32(chunk))
  return Buffer.concat([png.subarray(0, 33), head, chunk, crc, png.subarray(33)])
}

interface Sent {
  readonly type?: string
  readonly boundary?: string
  readonly crop?: string
}

/** Uploads a file with a declared type and name. Returns what is stored, or the field and the code of the refusal. */
async function received(
  file: Buffer,
  { type = 'image/jpeg', boundary = 'boundary', crop }: Sent,
): Promise<Buffer | string> {
  const uploads = createImageUploads(db.database, {} as never, tmpdir())
  const limits = createUploadLimits(db.database, async () => {})
  const app = new Koa()
  const outcome = Promise.withResolvers<Buffer | string>()
  app.use(async (ctx) => {
    const stored = uploads.receiveFrom(ctx as never, 'network', limits)
    outcome.resolve(
      await stored.catch(({ fields }) => fields.errors.map(({ path, code }: Fault) => `${path}: ${code}`).join()),
    )
    ctx.body = ''
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const field = (text: string) => `--${boundary}\r\nContent-Disposition: form-data; name="crop"\r\n\r\n${text}\r\n`
  const head = `${crop === undefined ? '' : field(crop)}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: ${type}\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const { port } = server.address() as AddressInfo
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
  server.close()
  return outcome.promise
}

it('accepts a PNG whose signature arrives in two parts', async () => {
  // The parser takes the CR of the signature for a boundary, because the boundary has all letters of the prompt's name.
  const boundary = '----WebKitFormBoundaryABCDEFGHIJKLMpt0'
  const stored = await received(pictureWithPrompt(), { type: 'image/png', boundary })
  expect(stored).toBeInstanceOf(Buffer)
})

it('judges pictures of other programs by their bytes, not by name and type', async () => {
  // How each is shown is tested in foreignPictures.spec.ts.
  const judged = FOREIGN_PICTURES.filter(({ name }) => FULL || / without a type$| as | named |cut in/.test(name))
  expect(judged.length).toBeGreaterThan(5)
  for (const { name, type, make, refused } of judged) {
    const stored = await received(await make(), { type: type || 'application/octet-stream' })
    const wanted = refused && `file: ${refused}`
    expect([name, typeof stored === 'string' ? stored : undefined]).toEqual([name, wanted])
  }
})

describe.skipIf(lacksPictures)(
  `with pictures from the tests of other programs (${lacksPictures || 'downloaded'})`,
  () => {
    it.each(OTHER_PICTURES.map((picture) => [picture.what, picture] as const))(
      'stores what viewers show, or names the reason: %s',
      async (_, picture) => {
        const stored = await received(readOtherPicture(picture), {})
        if (typeof stored === 'string') return expect(stored).toBe(`file: ${picture.outcome}`)
        expect(['accepted', await differenceOf(stored, picture)]).toEqual([picture.outcome, ''])
      },
    )
  },
)

it('cuts a crop out of the upright picture', async () => {
  const { make, shown } = FOREIGN_PICTURES.find(({ name }) => name === 'a turned JPEG')!
  const stored = await received(await make(), { crop: '0.5,0.200000,1,1.0' })
  const colours = await quartersOf(stored as Buffer)
  const [, topRight, , bottomRight] = shown!.map(([red, green]) => [red > 128, green > 128])
  expect(colours.map(([red, green]) => [red > 128, green > 128])).toEqual([
    topRight,
    topRight,
    bottomRight,
    bottomRight,
  ])
})

it.each([
  ...['', '0,0,1', '0,0,1,1,1', '0,0,1,1.1', '-0.1,0,1,1', '0,0,NaN,1', '0,0,1e0,1', ' 0,0,1,1', '0,0,1,1\n'],
  ...['1,0,0,1', '0,0.5,1,0.5', '0,0,0x1,1', '0,0,Infinity,1', '{"left":0}', '0.0000000000,0,1,1', '０,0,1,1'],
])('refuses a crop of %j', async (crop) => {
  const [{ make }] = FOREIGN_PICTURES as [(typeof FOREIGN_PICTURES)[number]]
  expect(await received(await make(), { crop })).toBe('crop: invalid_crop')
})

it('names the crop whose shape is not that of a picture', async () => {
  const wide = createCanvas(1600, 600).toBuffer('image/png')
  expect(await received(wide, {})).toBe('file: image_aspect_ratio')
  expect(await received(wide, { crop: '0,0,1,0.9' })).toBe('crop: image_aspect_ratio')
  expect(await received(wide, { crop: '0,0,0.5,0.5' })).toBe('crop: image_too_small')
  expect(await received(wide, { crop: '0,0,0.5,1' })).toBeInstanceOf(Buffer)
  expect(await received(wide.subarray(0, -40), { crop: '0,0,0.5,1' })).toBe('file: image_damaged')
})

it('leaves no picture of an account that is erased while the picture is stored', async () => {
  const files = new Set<string>()
  const [putting, removing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let waits: Promise<void> | undefined
  const media = {
    async put(key: string) {
      putting.resolve()
      await removing.promise
      files.add(key)
    },
    async remove(key: string) {
      files.delete(key)
      removing.resolve()
      // The picture is stored after its removal, and waits for the erasure before that goes on.
      waits ??= (async () => blocked(db.pool, 1))()
      await waits
    },
  }
  const uploads = createImageUploads(db.database, media as never, tmpdir())
  const userId = crypto.randomUUID()
  const stored = uploads.store(userId, Buffer.from('a picture')).catch(({ code }) => code)
  await putting.promise
  await uploads.eraseAll(userId)
  expect([await stored, [...files]]).toEqual(['not_found', []])
})
