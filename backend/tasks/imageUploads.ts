import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Writable } from 'node:stream'
import type { RouterContext } from '@koa/router'
import { koaBody } from 'koa-body'
import { readFirstFramesInUse } from '#projections/tasks/readFirstFramesInUse.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../kernel/eventsourcing/uuid7.ts'
import { API_BASE } from '../kernel/http/contract.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import { ImageError } from '../kernel/media/firstFrame.ts'
import { looksLikeImage } from '../kernel/media/imageFile.ts'
import { imageKey, type MediaStore } from '../kernel/media/mediaStore.port.ts'
import { normaliseInChild } from '../kernel/media/normaliseInChild.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { IMAGE_MAX_BYTES } from './contract.ts'

/** So much of what is left of a refused upload is still read, so that the client hears why before its connection closes. */
const DRAINED_BYTES = 32 * 1024 * 1024
const IMAGE_URL = new RegExp(`^${API_BASE}/videos/images/([0-9a-f-]{36})$`)

export type ImageUploads = ReturnType<typeof createImageUploads>

/** First-frame pictures: re-encoded when they come in, and readable by their owner alone. */
export function createImageUploads(database: Database, media: MediaStore, temporaryDir: string) {
  const execute = <Row extends object>(sql: string, parameters: unknown[]) =>
    database.em.fork().execute<Row[]>(sql, parameters)

  /** Whose picture it is; undefined where there is none. */
  const ownerOf = async (imageId: string): Promise<string | undefined> => {
    if (!isUuid(imageId)) return undefined
    const [row] = await execute<{ user_id: string }>('select user_id from image_upload where id = ?', [imageId])
    return row?.user_id
  }

  return {
    ownerOf,

    /** The id behind a picture's address, which is kept from now on. @throws ValidationError it is not the user's */
    async owned(userId: string, url: string): Promise<string> {
      const imageId = IMAGE_URL.exec(url)?.[1]
      const found =
        isUuid(imageId ?? '') &&
        (await execute<{ id: string }>(
          'update image_upload set used_at = now() where id = ? and user_id = ? returning id',
          [imageId, userId],
        ))
      if (!imageId || !found || found.length === 0)
        throw new ValidationError([{ path: 'first_frame_image_url', code: 'unknown_image' }])
      return imageId
    },

    /** Removes every picture of a user: the file first, so that none is left without its row. */
    async removeAllOf(userId: string): Promise<void> {
      const em = database.em.fork()
      for (const { id } of await em.execute<{ id: string }[]>('select id from image_upload where user_id = ?', [
        userId,
      ])) {
        await media.remove(imageKey(id))
        await em.execute('delete from image_upload where id = ?', [id])
      }
    },

    /** Takes the picture of a multipart body in and answers its address. */
    async accept(ctx: RouterContext, userId: string): Promise<string> {
      const data = await normaliseInChild(await uploadedFile(ctx)).catch((error) => {
        if (error instanceof ImageError) throw new ValidationError([{ path: 'file', code: error.code }], error.code)
        throw error
      })
      const imageId = uuid7()
      const finished = path.join(temporaryDir, `${imageId}.jpg`)
      // The row comes first: should the file not follow, the row is removed as unused.
      await execute('insert into image_upload (id, user_id, created_at) values (?, ?, now())', [imageId, userId])
      await writeFile(finished, data)
      await media.put(imageKey(imageId), finished)
      return `${API_BASE}/videos/images/${imageId}`
    },

    /** Removes pictures that no task has used for a day. Some hundreds at a time; answers how many were removed. */
    removeUnused: (): Promise<number> =>
      database.em.fork().transactional(async (em) => {
        // Locked, so that a task that is being submitted finds its picture or is told that it is gone.
        const old = await em.execute<{ id: string }[]>(
          `select id from image_upload where coalesce(used_at, created_at) < now() - interval '1 day'
           order by coalesce(used_at, created_at) limit 500 for update skip locked`,
        )
        const ids = old.map(({ id }) => id)
        const inUse = await readFirstFramesInUse(database, ids)
        const unused = ids.filter((id) => !inUse.has(id))
        const among = 'id in (select value::uuid from jsonb_array_elements_text(?::jsonb))'
        // Those in use are looked at again in a day.
        await em.execute(`update image_upload set used_at = now() where ${among}`, [JSON.stringify([...inUse])])
        for (const id of unused) await media.remove(imageKey(id))
        await em.execute(`delete from image_upload where ${among}`, [JSON.stringify(unused)])
        return unused.length
      }),
  }
}

/** The bytes of the field `file`. They stay in memory, at most 20 MB, so that a refused upload leaves no file behind. */
async function uploadedFile(ctx: RouterContext): Promise<Buffer> {
  if (!ctx.is('multipart')) throw new ValidationError([{ path: 'file', code: 'required' }])
  // One piece, which the system takes back whole; what is never written to takes no memory, whatever the header promises.
  const kept = Buffer.allocUnsafeSlow(Math.min(ctx.request.length || IMAGE_MAX_BYTES, IMAGE_MAX_BYTES))
  let length = 0
  let isImage = true
  const keep = () =>
    new Writable({
      write(chunk: Buffer, _, done) {
        // What is no picture from its first bytes on is read to its end, but not kept.
        if (length === 0) isImage = looksLikeImage(chunk)
        if (isImage) chunk.copy(kept, length)
        length += chunk.length
        done()
      },
    })
  const multipart = koaBody({
    multipart: true,
    json: false,
    urlencoded: false,
    text: false,
    formidable: {
      maxFiles: 1,
      maxFileSize: IMAGE_MAX_BYTES,
      maxFields: 10,
      maxFieldsSize: 10_000,
      fileWriteStreamHandler: keep,
    },
    onError: (error) => {
      throw error
    },
  })
  try {
    await multipart(ctx as never, async () => {})
  } catch (error) {
    await drained(ctx)
    throw (error as { httpCode?: number }).httpCode === 413
      ? new Rejection('payload_too_large', 'File size cannot exceed 20MB.')
      : new ValidationError([{ path: 'file', code: 'invalid_file_type' }])
  }
  if (!ctx.request.files?.file || length === 0) throw new ValidationError([{ path: 'file', code: 'required' }])
  if (!isImage) throw new ValidationError([{ path: 'file', code: 'invalid_file_type' }], 'invalid_file_type')
  return kept.subarray(0, length)
}

/** Reads and drops what is left of a body, up to a bound. */
function drained(ctx: RouterContext): Promise<void> {
  let left = DRAINED_BYTES
  return new Promise((resolve) => {
    if (ctx.req.readableEnded || ctx.req.destroyed) return resolve()
    ctx.req.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) resolve()
    })
    ctx.req.on('end', resolve)
    ctx.req.on('close', resolve)
    ctx.req.resume()
  })
}
