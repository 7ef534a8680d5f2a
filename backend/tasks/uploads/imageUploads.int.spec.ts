import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { createCanvas } from '@napi-rs/canvas'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FOREIGN_PICTURES } from '../../kernel/media/testing/foreignPictures.ts'
import { startTemporaryDatabase, type TemporaryDatabase } from '../../testing/temporaryDatabase.ts'
import { createImageUploads } from './imageUploads.ts'
import { createUploadLimits } from './uploadLimits.ts'

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

/** Uploads a file with a declared type and name. Returns what is stored, or the code of the refusal. */
async function received(file: Buffer, type: string, boundary = 'boundary'): Promise<Buffer | string> {
  const uploads = createImageUploads(db.database, {} as never, tmpdir())
  const limits = createUploadLimits(db.database, async () => {})
  const app = new Koa()
  const outcome = Promise.withResolvers<Buffer | string>()
  app.use(async (ctx) => {
    const stored = uploads.receiveFrom(ctx as never, 'network', limits)
    outcome.resolve(await stored.catch((error) => error.code ?? String(error)))
    ctx.body = ''
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: ${type}\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const { port } = server.address() as AddressInfo
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
  server.close()
  return outcome.promise
}

it('accepts a PNG whose signature arrives in two parts', async () => {
  // The parser takes the CR of the signature for a boundary, because the boundary has all letters of the prompt's name.
  const stored = await received(pictureWithPrompt(), 'image/png', '----WebKitFormBoundaryABCDEFGHIJKLMpt0')
  expect(stored).toBeInstanceOf(Buffer)
})

it('judges pictures of other programs by their bytes, not by name and type', { timeout: 60_000 }, async () => {
  for (const { name, type, make, refused } of FOREIGN_PICTURES) {
    const stored = await received(await make(), type || 'application/octet-stream')
    expect([name, typeof stored === 'string' ? stored : undefined]).toEqual([name, refused])
  }
})

it('leaves no picture of an account that is erased while the picture is stored', async () => {
  const files = new Set<string>()
  const [putting, removing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const media = {
    async put(key: string) {
      putting.resolve()
      await removing.promise
      files.add(key)
    },
    async remove(key: string) {
      files.delete(key)
      removing.resolve()
      // The picture is stored after its removal, and before the erasure goes on.
      await Promise.race([stored, delay(300)])
    },
  }
  const uploads = createImageUploads(db.database, media as never, tmpdir())
  const userId = crypto.randomUUID()
  const stored = uploads.store(userId, Buffer.from('a picture')).catch(({ code }) => code)
  await putting.promise
  await uploads.eraseAll(userId)
  expect([await stored, [...files]]).toEqual(['not_found', []])
})
