import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../kernel/http/endpoint.ts'
import { sendMedia } from '../kernel/http/sendMedia.ts'
import { readLastFrame } from '../kernel/media/lastFrame.ts'
import { imageKey, posterKey, videoKey } from '../kernel/media/mediaStore.port.ts'
import * as contract from './contract.ts'
import { fileName } from './downloads/fileName.ts'
import { createVideoCopies, type VideoCopies } from './downloads/videoCopies.ts'
import { createVisibleLabels, type VisibleLabels } from './downloads/visibleLabels.ts'
import type { ImageUploads } from './imageUploads.ts'
import type { UploadLimits } from './uploadLimits.ts'
import type { Works } from './works.ts'

export interface MediaRoutes {
  readonly works: Works
  readonly uploads: ImageUploads
  readonly uploadLimits: UploadLimits
  readonly copies: VideoCopies
  readonly labels: VisibleLabels
  /** Returns whether the user's plan requires a watermark on downloads. */
  readonly watermarks: (userId: string) => Promise<boolean>
}

/** Serves videos, thumbnails and uploaded images to their owners. */
export function serveMedia(serve: Serve, routes: MediaRoutes): void {
  const { works, uploads, uploadLimits } = routes
  const { media } = routes.copies
  const copyOf = createVideoCopies(routes.copies)
  const labels = createVisibleLabels(routes.labels)

  const readFinished = async (userId: string, taskId: string) => {
    const row = await works.readOwn(userId, taskId)
    if (row.status !== 'Success') throw new Rejection('not_found', 'Video file does not exist, cannot download')
    return row
  }

  serve(contract.preview, async ({ userId, params, ctx }) => {
    const { id } = await readFinished(userId, params.id)
    await sendMedia(ctx, media, videoKey(id), { type: 'video/mp4' })
    return undefined
  })

  serve(contract.thumbnail, async ({ userId, params, ctx }) => {
    const { id } = await readFinished(userId, params.id)
    await sendMedia(ctx, media, posterKey(id), { type: 'image/jpeg' })
    return undefined
  })

  serve(contract.firstFrame, async ({ userId, params, ctx }) => {
    const owner = await uploads.ownerOf(params.id)
    if (!owner) throw new Rejection('not_found', 'This picture does not exist.')
    if (owner !== userId) throw new Rejection('forbidden', 'This picture belongs to someone else.')
    await sendMedia(ctx, media, imageKey(params.id), { type: 'image/jpeg' })
    return undefined
  })

  serve(contract.download, async ({ userId, params, query, ctx }) => {
    const row = await readFinished(userId, params.id)
    const wish = query.label === undefined ? undefined : query.label === 'true'
    const visible = {
      watermark: query.watermark === 'true' || (await routes.watermarks(userId)),
      label: await labels.isRequired(userId, row.id, wish),
    }
    const key = await copyOf(row.id, visible)
    const { prompt } = await works.view(row)
    await sendMedia(ctx, media, key, { type: 'video/mp4', downloadAs: fileName(prompt) })
    return undefined
  })

  serve(contract.requestUnlabelled, async ({ userId, params }) => {
    const { id } = await readFinished(userId, params.id)
    await labels.request(userId, id)
    return undefined
  })

  serve(contract.lastFrame, async ({ userId, params }) => {
    const { id } = await readFinished(userId, params.id)
    const { temporaryDir, ffmpegPath } = routes.copies
    const frame = async () => readLastFrame(await media.localPath(videoKey(id)), temporaryDir, { ffmpegPath })
    return { image_url: await uploads.add(userId, uploadLimits, frame) }
  })

  serve(contract.uploadImage, async ({ userId, ctx }) => ({
    image_url: await uploads.accept(ctx, userId, uploadLimits),
  }))
}
