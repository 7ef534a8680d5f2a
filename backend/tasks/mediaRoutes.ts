import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { sendMedia } from '../kernel/http/sendMedia.ts'
import { readLastFrame } from '../kernel/media/lastFrame.ts'
import { type MediaStore, videoKey } from '../kernel/media/mediaStore.port.ts'
import * as contract from './contract.ts'
import { fileName } from './downloads/fileName.ts'
import { WATERMARK } from './downloads/videoCopies.ts'
import type { VideoDownloads } from './downloads/videoDownloads.ts'
import type { VisibleCopies } from './downloads/visibleCopies.ts'
import type { Labels } from './downloads/visibleLabels.ts'
import type { ImageUploads } from './uploads/imageUploads.ts'
import type { UploadLimits } from './uploads/uploadLimits.ts'
import type { Works } from './works.ts'

export interface MediaRoutes {
  readonly works: Works
  readonly uploads: ImageUploads
  readonly uploadLimits: UploadLimits
  readonly downloads: Pick<VideoDownloads, 'record'>
  readonly files: Readonly<{ media: MediaStore; copies: VisibleCopies; labels: Labels }> & FfmpegFolder
}

/** Where frames are read from videos. */
type FfmpegFolder = Readonly<{ temporaryDir: string; ffmpegPath: string | undefined }>

/**
 * Returns the last frame of a finished video. Another video may start with it, so the watermark is not drawn into it: it is
 * only shown with one.
 */
export const readFrame = async (
  { media, temporaryDir, ffmpegPath }: { media: MediaStore } & FfmpegFolder,
  id: string,
) => readLastFrame(await media.localPath(videoKey(id)), temporaryDir, WATERMARK, { ffmpegPath })

/** The plan and the settings decide at each request which copy is served. */
const ASK_AGAIN = 'private, no-cache'

/** Serves videos, thumbnails and uploaded images to their owners. */
export function serveMedia(serve: Serve, routes: MediaRoutes): void {
  const { works, uploads, uploadLimits } = routes
  const { media, copies, labels } = routes.files
  const { readFinished, readFinishedShown } = works

  serve(contract.preview, async ({ userId, params, ctx }) => {
    const key = await copies.film(await readFinishedShown(userId, params.id))
    await sendMedia(ctx, media, key, { type: 'video/mp4', cacheControl: ASK_AGAIN })
    return undefined
  })

  serve(contract.thumbnail, async ({ userId, params, ctx }) => {
    const key = await copies.poster(await readFinishedShown(userId, params.id))
    await sendMedia(ctx, media, key, { type: 'image/jpeg', cacheControl: ASK_AGAIN })
    return undefined
  })

  serve(contract.liveFrame, async ({ userId, params, ctx }) => {
    const frame = await works.readLiveFrame(userId, params.id)
    ctx.set('Cache-Control', 'private, no-store')
    ctx.type = 'image/jpeg'
    ctx.body = frame
    return undefined
  })

  serve(contract.firstFrame, async ({ userId, params, ctx }) => {
    const owner = await uploads.ownerOf(params.id)
    if (!owner) throw new Rejection('not_found', 'This picture does not exist.')
    if (owner !== userId) throw new Rejection('forbidden', 'This picture belongs to someone else.')
    const key = await copies.image(userId, params.id)
    await sendMedia(ctx, media, key, { type: 'image/jpeg', cacheControl: ASK_AGAIN })
    return undefined
  })

  serve(contract.download, async ({ userId, params, query, ctx }) => {
    const row = await readFinishedShown(userId, params.id)
    const wish = query.label === undefined ? undefined : query.label === 'true'
    const key = await copies.film(row, { watermark: query.watermark === 'true', label: wish })
    const { prompt } = await works.view(row)
    if (ctx.method !== 'HEAD') await routes.downloads.record(userId, row.id)
    await sendMedia(ctx, media, key, { type: 'video/mp4', downloadAs: fileName(prompt), cacheControl: ASK_AGAIN })
    return undefined
  })

  serve(contract.requestUnlabelled, async ({ userId, params }) => {
    const { id } = await readFinished(userId, params.id)
    await labels.request(userId, id)
    return undefined
  })

  serve(contract.lastFrame, async ({ userId, params }) => {
    const { id } = await readFinished(userId, params.id)
    return { image_url: await uploads.add(userId, uploadLimits, id, () => readFrame(routes.files, id)) }
  })

  serve(contract.listPictures, async ({ userId }) => ({ pictures: await uploads.list(userId) }))

  serve(contract.namePicture, async ({ userId, params, body }) => {
    await uploads.rename(userId, params.id, body.name)
    return undefined
  })

  serve(contract.uploadImage, async ({ userId, ctx }) => ({
    image_url: await uploads.accept(ctx, userId, uploadLimits),
  }))
}
