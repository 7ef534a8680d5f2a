import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { RouterContext } from '@koa/router'
import { readImagesInUse } from '#projections/tasks/readVideoTasks.ts'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { isUuid, uuid7 } from '../../kernel/eventsourcing/uuid7.ts'
import { API_BASE } from '../../kernel/http/contract.ts'
import { parseInput } from '../../kernel/http/endpoint.ts'
import { withFormFile } from '../../kernel/http/multipart/withFormFile.ts'
import { ValidationError } from '../../kernel/http/problemDetails.ts'
import { removeFile } from '../../kernel/media/atomicFile.ts'
import { type CropEdges, IMAGE_MAX_BYTES } from '../../kernel/media/contract.ts'
import { ImageError, inspectImage, isShapeCode } from '../../kernel/media/firstFrame.ts'
import { imageKey, type MediaStore, removeImageMedia, watermarkedStillKey } from '../../kernel/media/mediaStore.port.ts'
import { ImageTimeout, normaliseInChild } from '../../kernel/media/normaliseInChild.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import { query } from '../../kernel/postgres/query.ts'
import { type Picture, UploadFields } from '../contract.ts'
import { assertRoom } from './assertRoom.ts'
import type { UploadLimits } from './uploadLimits.ts'

/** Maximum bytes drained from a rejected upload, so that the client receives the error before the connection closes. */
const MAX_DRAINED_BYTES = 32 * 1024 * 1024
/** Work of decoding a picture, in calls. */
const DECODING_UNITS = 60
/** Few, because the database ends a transaction that waits eight seconds for a bucket. */
const SWEPT_AT_ONCE = 20
/** Pictures that are offered again. */
const LISTED = 60
const IMAGE_URL = new RegExp(`^${API_BASE}/videos/images/([0-9a-f-]{36})$`)

/** A frame of a video as JPEG, and the same with a watermark. */
type Frame = Readonly<{ frame: Buffer; watermarked: Buffer }>

export type ImageUploads = ReturnType<typeof createImageUploads>

/**
 * Creates the function that stores a checked image as a user's upload and returns its URL. `watermarked` is what a plan
 * with a watermark shows of it.
 * @throws Rejection not_found, too_many_unused_images
 */
function createStore(database: Database, media: MediaStore, temporaryDir: string) {
  const putFile = async (key: string, data: Buffer) => {
    const finished = path.join(temporaryDir, `${uuid7()}.jpg`)
    try {
      await writeFile(finished, data)
      await media.put(key, finished)
    } finally {
      await removeFile(finished)
    }
  }

  return async (userId: string, data: Buffer, watermarked?: Buffer, fromTask?: string): Promise<string> => {
    const bytes = data.length + (watermarked?.length ?? 0)
    await assertRoom(database, userId, bytes)
    const imageId = uuid7()
    // Insert the row before storing the file: if storing fails, the sweep removes the unused row.
    const sql = 'insert into image_upload (id, user_id, created_at, bytes, from_task) values ($1, $2, now(), $3, $4)'
    const em = database.em.fork()
    await query(em, sql, [imageId, userId, bytes, fromTask ?? null])
    if (watermarked) await putFile(watermarkedStillKey(imageId), watermarked)
    await putFile(imageKey(imageId), data)
    try {
      // Waits for an erasure of the row, which found no file to remove.
      const kept = await query<object>(em, 'select id from image_upload where id = $1 for key share', [imageId])
      if (kept.length === 0) throw new Rejection('not_found', 'The account of this picture was erased.')
    } catch (error) {
      await removeImageMedia(media, imageId)
      throw error
    }
    return `${API_BASE}/videos/images/${imageId}`
  }
}

/** Looks at the oldest images that are due, and removes those that no task uses. */
const removeOldest = (database: Database, media: MediaStore) =>
  database.em.fork().transactional(async (em) => {
    // The row locks make a concurrent `claim` either keep the image or fail.
    const old = await query<{ id: string }>(
      em,
      `select id from image_upload where name is null and coalesce(used_at, created_at) < now() - interval '1 day'
       order by coalesce(used_at, created_at) limit ${SWEPT_AT_ONCE} for update skip locked`,
    )
    const ids = old.map(({ id }) => id)
    const inUse = await readImagesInUse(database, ids)
    const unused = ids.filter((id) => !inUse.has(id))
    const among = 'id in (select value::uuid from jsonb_array_elements_text($1::jsonb))'
    // Check the images in use again in a day.
    await query(em, `update image_upload set used_at = now() where ${among}`, [JSON.stringify([...inUse])])
    await Promise.all(unused.map((id) => removeImageMedia(media, id)))
    await query(em, `delete from image_upload where ${among}`, [JSON.stringify(unused)])
    return { seen: ids.length, removed: unused.length }
  })

/** Creates what takes pictures from requests and videos, within the limits of their senders. */
function createReceiving(store: ReturnType<typeof createStore>) {
  return {
    /**
     * Stores the image of a multipart body, within the limits of the user. Returns its URL.
     * @throws ValidationError; Rejection payload_too_large, image_timeout, and those of {@link UploadLimits}
     */
    async accept(ctx: RouterContext, userId: string, limits: UploadLimits): Promise<string> {
      return store(userId, await drained(ctx, () => limits.run(userId, () => receive(ctx))))
    },

    /**
     * Runs a request that may bring a picture, with a function that decodes and stores it. Within the limits of an upload: from
     * the start if the body is large, otherwise only for a picture. Throws as `accept`.
     */
    acceptWith<T>(
      ctx: RouterContext,
      userId: string,
      limits: UploadLimits,
      isLarge: boolean,
      run: (storePicture: (file: Buffer) => Promise<string>) => Promise<T>,
    ): Promise<T> {
      const decoded = (file: Buffer) => decoding(ctx, (decode) => decode(file))
      if (!isLarge) return run(async (file) => store(userId, await limits.run(userId, () => decoded(file))))
      return drained(ctx, () => limits.run(userId, () => run(async (file) => store(userId, await decoded(file)))))
    },

    /** Stores the frame of a task's video that `make` returns, within the limits of an upload. Returns its URL. @throws Rejection */
    async add(userId: string, limits: UploadLimits, taskId: string, make: () => Promise<Frame>): Promise<string> {
      const { frame, watermarked } = await limits.run(userId, make)
      return store(userId, frame, watermarked, taskId)
    },

    /** Returns the checked image of a multipart body, within the limits of a visitor's network. Throws as `accept`. */
    receiveFrom: (ctx: RouterContext, network: string, limits: UploadLimits): Promise<Buffer> =>
      drained(ctx, () => limits.runForVisitor(network, () => receive(ctx))),
  }
}

type Execute = <Row extends object>(sql: string, parameters: unknown[]) => Promise<Row[]>

/** Creates the list of a user's pictures, and the names that keep them. */
const createKept = (execute: Execute) => ({
  /** Lists a user's pictures, newest first, but for those taken from videos. */
  async list(userId: string): Promise<Picture[]> {
    const rows = await execute<{ id: string; name: string | null; created_at: Date }>(
      `select id, name, created_at from image_upload
     where user_id = $1 and from_task is null order by created_at desc limit ${LISTED}`,
      [userId],
    )
    return rows.map(({ id, name, created_at }) => ({
      ...{ id, name, image_url: `${API_BASE}/videos/images/${id}` },
      created_at: new Date(created_at).toISOString(),
    }))
  },

  /** Keeps a picture under a name, or without one no longer. @throws Rejection not_found unless the user owns it */
  async rename(userId: string, id: string, name: string | null): Promise<void> {
    const sql = 'update image_upload set name = $3, used_at = now() where id = $1 and user_id = $2 returning id'
    const found = isUuid(id) ? await execute(sql, [id, userId, name]) : []
    if (found.length === 0) throw new Rejection('not_found', 'This picture does not exist.')
  },
})

/** Creates the store for the pictures of generations. Images are re-encoded on upload and readable only by their owner. */
export function createImageUploads(database: Database, media: MediaStore, temporaryDir: string) {
  const execute = <Row extends object>(sql: string, parameters: unknown[]) => query<Row>(database, sql, parameters)

  /** Returns the owner's user id, or undefined if the image does not exist. */
  const ownerOf = async (imageId: string): Promise<string | undefined> => {
    if (!isUuid(imageId)) return undefined
    const [row] = await execute<{ user_id: string }>('select user_id from image_upload where id = $1', [imageId])
    return row?.user_id
  }

  const store = createStore(database, media, temporaryDir)

  return {
    ownerOf,
    store,

    ...createKept(execute),

    /** Returns the task from whose video an image was taken; undefined if it was not. */
    async taskOf(imageId: string): Promise<string | undefined> {
      const sql = 'select from_task from image_upload where id = $1'
      return (await execute<{ from_task: string | null }>(sql, [imageId]))[0]?.from_task ?? undefined
    },

    /** Returns the id of the image at a URL, which stays for another day, whatever becomes of the order. @throws ValidationError unless the user owns it */
    async claim(userId: string, url: string, field = 'first_frame_image_url'): Promise<string> {
      const imageId = IMAGE_URL.exec(url)?.[1]
      const sql = 'update image_upload set used_at = now() where id = $1 and user_id = $2 returning id'
      const found = imageId && isUuid(imageId) ? await execute(sql, [imageId, userId]) : []
      if (!imageId || found.length === 0) throw new ValidationError([{ path: field, code: 'unknown_image' }])
      return imageId
    },

    /** Erases all images of a user. Commits after each file is removed, so that a crash leaves no orphaned file. */
    async eraseAll(userId: string): Promise<void> {
      const images = await execute<{ id: string }>('select id from image_upload where user_id = $1', [userId])
      for (const { id } of images)
        await database.em.fork().transactional(async (em) => {
          // First, because it makes `store` wait and then find no row.
          await query(em, 'delete from image_upload where id = $1', [id])
          await removeImageMedia(media, id)
        })
    },

    ...createReceiving(store),

    /** Removes the images that no task has used for a day. Returns their number. */
    async removeUnused(): Promise<number> {
      for (let total = 0; ; ) {
        const { seen, removed } = await removeOldest(database, media)
        total += removed
        if (seen < SWEPT_AT_ONCE) return total
      }
    },
  }
}

/** Reads and re-encodes the image of a multipart body. */
const receive = (ctx: RouterContext): Promise<Buffer> =>
  decoding(ctx, (decode) =>
    withFormFile(ctx, IMAGE_MAX_BYTES, (file, fields) => decode(file, parseInput(UploadFields, fields).crop)),
  )

/** Passes a function that checks and re-encodes an image to `run`. It stops when the client disconnects. */
async function decoding(
  ctx: RouterContext,
  run: (decode: (file: Buffer, crop?: CropEdges) => Promise<Buffer>) => Promise<Buffer>,
): Promise<Buffer> {
  // A request that was aborted during the checks emits no further event.
  if (ctx.req.socket.destroyed) throw new Rejection('unavailable', 'The client disconnected.')
  const gone = new AbortController()
  const onClose = () => gone.abort(new Rejection('unavailable', 'The client disconnected.'))
  let crop: CropEdges | undefined
  ctx.res.once('close', onClose)
  try {
    return await run(async (file, edges) => {
      crop = edges
      // Refused pictures are not charged for their decoding.
      inspectImage(file, crop)
      ctx.state.charge?.(DECODING_UNITS)
      return normaliseInChild(file, { crop, signal: gone.signal })
    })
  } catch (error) {
    if (error instanceof ImageError) {
      const path = crop && isShapeCode(error.code) ? 'crop' : 'file'
      throw new ValidationError([{ path, code: error.code }], error.code)
    }
    if (error instanceof ImageTimeout) throw new Rejection('image_timeout', error.message, { retryAfter: 10 })
    throw error
  } finally {
    ctx.res.off('close', onClose)
  }
}

/** Reads the rest of a request body before a refusal, so that the client receives it. */
async function drained<T>(ctx: RouterContext, upload: () => Promise<T>): Promise<T> {
  try {
    return await upload()
  } catch (error) {
    await drain(ctx)
    throw error
  }
}

/** Reads and discards the rest of a request body, up to `MAX_DRAINED_BYTES`. */
function drain(ctx: RouterContext): Promise<void> {
  let left = MAX_DRAINED_BYTES
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
