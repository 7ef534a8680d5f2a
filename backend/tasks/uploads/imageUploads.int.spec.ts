import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { createCanvas } from '@napi-rs/canvas'
import Koa from 'koa'
import { afterAll, beforeAll, expect, it } from 'vitest'
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

it('accepts a PNG whose signature arrives in two parts', async () => {
  const uploads = createImageUploads(db.database, {} as never, tmpdir())
  const limits = createUploadLimits(db.database, async () => {})
  const app = new Koa()
  app.use(async (ctx) => {
    const received = uploads.receiveFrom(ctx as never, 'network', limits)
    ctx.body = await received.then(() => 'accepted', String)
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The parser takes the CR of the signature for a boundary, because the boundary has all letters of the prompt's name.
  const boundary = '----WebKitFormBoundaryABCDEFGHIJKLMpt0'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), pictureWithPrompt(), Buffer.from(`\r\n--${boundary}--\r\n`)])
  const { port } = server.address() as AddressInfo
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
  server.close()
  expect(await answer.text()).toBe('accepted')
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
