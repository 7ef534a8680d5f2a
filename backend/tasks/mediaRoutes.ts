import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { sendMedia } from '../kernel/http/sendMedia.ts'
import { imageKey, type MediaStore, posterKey, videoKey, watermarkedKey } from '../kernel/media/mediaStore.port.ts'
import { watermarkVideo } from '../kernel/media/watermark.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import * as contract from './contract.ts'
import type { ImageUploads } from './imageUploads.ts'
import { ownTask } from './routes.ts'

export interface MediaRoutes {
  readonly database: Database
  readonly media: MediaStore
  readonly images: ImageUploads
  readonly temporaryDir: string
  readonly ffmpegPath: string | undefined
  readonly decrypt: (userId: string, sealed: string) => Promise<string | undefined>
  /** Whether the user's plan puts a watermark on downloads. */
  readonly watermarks: (userId: string) => Promise<boolean>
}

/** Videos, stills and pictures: each is given to its owner alone. */
export function serveMedia(
  serve: Serve,
  { database, media, images, temporaryDir, ffmpegPath, decrypt, watermarks }: MediaRoutes,
): void {
  const watermarked = createWatermarked(media, temporaryDir, ffmpegPath)

  const finished = async (userId: string, taskId: string) => {
    const row = await ownTask(database, userId, taskId)
    if (row.status !== 'Success') throw new Rejection('not_found', 'Video file does not exist, cannot download')
    return row
  }

  serve(contract.preview, async ({ userId, params, ctx }) => {
    const { id } = await finished(userId, params.id)
    await sendMedia(ctx, media, videoKey(id), { type: 'video/mp4' })
    return undefined
  })

  serve(contract.thumbnail, async ({ userId, params, ctx }) => {
    const { id } = await finished(userId, params.id)
    await sendMedia(ctx, media, posterKey(id), { type: 'image/jpeg' })
    return undefined
  })

  serve(contract.firstFrame, async ({ userId, params, ctx }) => {
    const owner = await images.ownerOf(params.id)
    if (!owner) throw new Rejection('not_found', 'This picture does not exist.')
    if (owner !== userId) throw new Rejection('forbidden', 'This picture belongs to someone else.')
    await sendMedia(ctx, media, imageKey(params.id), { type: 'image/jpeg' })
    return undefined
  })

  serve(contract.download, async ({ userId, params, query, ctx }) => {
    const row = await finished(userId, params.id)
    const marked = query.watermark === 'true' || (await watermarks(userId))
    const key = marked ? await watermarked(row.id) : videoKey(row.id)
    const prompt = (await decrypt(userId, row.encrypted_prompt)) ?? ''
    await sendMedia(ctx, media, key, { type: 'video/mp4', downloadAs: fileName(prompt) })
    return undefined
  })

  serve(contract.uploadImage, async ({ userId, ctx }) => ({ image_url: await images.accept(ctx, userId) }))
}

/** Names that Windows keeps for devices, whatever follows behind a dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** The first 20 characters of the prompt, without those that no file system takes or that turn a name around. */
export function fileName(prompt: string): string {
  const start = [...prompt].slice(0, 20).join('')
  const safe = start
    .replace(/\p{Bidi_Control}+/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}<>:"/\\|?*]+/gu, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  return `${safe || 'kinora'}${DEVICE.test(safe) ? '_' : ''}.mp4`
}

/** Makes the watermarked copy when it is first wanted; who asks meanwhile waits for the same one. */
function createWatermarked(
  media: MediaStore,
  temporaryDir: string,
  ffmpegPath: string | undefined,
): (taskId: string) => Promise<string> {
  const making = new Map<string, Promise<void>>()

  const make = async (taskId: string, key: string) => {
    const out = path.join(temporaryDir, `${randomUUID()}.mp4`)
    await watermarkVideo(await media.localPath(videoKey(taskId)), out, 'Kinora', { ffmpegPath })
    await media.put(key, out)
  }

  return async (taskId) => {
    const key = watermarkedKey(taskId)
    if ((await media.size(key)) !== undefined) return key
    const running = making.get(taskId) ?? make(taskId, key).finally(() => making.delete(taskId))
    making.set(taskId, running)
    await running
    return key
  }
}
