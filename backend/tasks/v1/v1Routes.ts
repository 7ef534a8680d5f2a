import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { RouterContext } from '@koa/router'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { canonicalJson, derivedId } from '../../kernel/eventsourcing/pure/eventHash.ts'
import type { KeyCaller } from '../../kernel/http/bearer.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { idempotencyKeyOf } from '../../kernel/http/idempotency.ts'
import { sendMedia } from '../../kernel/http/sendMedia.ts'
import type { MediaStore } from '../../kernel/media/mediaStore.port.ts'
import { cellsFor } from '../contract.ts'
import { fileName } from '../downloads/fileName.ts'
import type { VideoDownloads } from '../downloads/videoDownloads.ts'
import type { VisibleCopies } from '../downloads/visibleCopies.ts'
import type { Marks } from '../library/marks.ts'
import { readFrame } from '../mediaRoutes.ts'
import { removeVideo } from '../removeVideo.ts'
import type { Shares } from '../shares/shares.ts'
import type { OwnTask, Tasks } from '../tasks.ts'
import type { ImageUploads } from '../uploads/imageUploads.ts'
import type { UploadLimits } from '../uploads/uploadLimits.ts'
import type { Works } from '../works.ts'
import { modelView, type Orders, throwWithParams } from './orders.ts'
import { isLarge, readExtension, type SentOrder, withOrder } from './readOrder.ts'
import type { Repeats } from './repeats.ts'
import * as contract from './v1.contract.ts'

/** Milliseconds after which a client should ask again. */
const POLL_AFTER_MS = 2_000
/** Time that a cancelled engine gets to stop before its video is deleted, ms. */
const STOPPING_MS = 8_000
const STOPPING_STEP_MS = 250
/** How often a client says that it has repeated a create: as often as its settings allow. */
const RETRY_COUNT = /^\d{1,6}$/

export interface V1Routes {
  readonly tasks: Tasks
  readonly works: Works
  readonly attached: Readonly<{ marks: Pick<Marks, 'remove'>; shares: Pick<Shares, 'end'> }>
  readonly orders: Orders
  readonly uploads: Pick<ImageUploads, 'acceptWith' | 'add'>
  readonly uploadLimits: UploadLimits
  readonly repeats: Repeats
  readonly downloads: Pick<VideoDownloads, 'record'>
  readonly files: Readonly<{ media: MediaStore; copies: VisibleCopies }> & Parameters<typeof readFrame>[0]
}

type TaskRow = Awaited<ReturnType<Works['readOwn']>>

/** Serves `/v1/videos` and `/v1/models` to programs with an API key. */
export function serveV1(serve: Serve, routes: V1Routes): void {
  const { works, orders } = routes

  serveCreate(serve, routes)
  serveContent(serve, routes)

  serve(contract.listVideos, async ({ userId, query: { after, limit, order } }) => {
    const rows = await works.listAfter(userId, { after, limit: limit + 1, order })
    if (!rows) throw new Rejection('invalid_value', 'There is no video with this id any more.', { param: 'after' })
    const data = await Promise.all(rows.slice(0, limit).map(orders.view))
    return {
      object: 'list' as const,
      ...{ data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: rows.length > limit },
    }
  })

  serve(contract.readVideo, async ({ userId, params, ctx }) => {
    const video = await orders.view(await orders.readOwn(userId, params.id))
    if (video.status !== 'completed' && video.status !== 'failed') ctx.set('OpenAI-Poll-After-Ms', `${POLL_AFTER_MS}`)
    return video
  })

  serve(contract.deleteVideo, async ({ userId, params: { id }, command }) => {
    const task = await orders.readOwn(userId, id)
    const isOpen = task.status !== 'Success' && task.status !== 'Fail'
    if (isOpen) await stop(routes, task, () => command(derivedId('cancel', id)))
    await removeVideo({ ...routes, ...routes.attached }, userId, id, command)
    return { id, object: 'video.deleted' as const, deleted: true }
  })

  serve(contract.listModels, ({ key }) => {
    return { object: 'list' as const, data: orders.offeredTo(key).map(modelView) }
  })

  serve(contract.readModel, ({ key, params: { id } }) => {
    const model = orders.offeredTo(key).find((each) => each.id === id)
    if (!model) throw new Rejection('not_found', `There is no model ${id}.`)
    return modelView(model)
  })
}

/** Cancels an unfinished video, and waits a moment for its engine. @throws Rejection video_in_progress */
async function stop({ tasks, works }: V1Routes, task: OwnTask, command: () => Parameters<Tasks['cancel']>[1]) {
  const running = new Rejection('video_in_progress', 'The engine is still making this video. Delete it afterwards.')
  await tasks.cancel(task, command()).catch((error) => {
    throw error instanceof Rejection && error.code === 'cannot_cancel' ? running : error
  })
  for (let waited = 0; waited < STOPPING_MS; waited += STOPPING_STEP_MS) {
    const { status } = await works.readOwn(task.user_id, task.id)
    if (status === 'Success' || status === 'Fail') return
    await delay(STOPPING_STEP_MS)
  }
  throw running
}

/** The first frame of an order: what identifies it, and a function that stores it as the user's image. */
type FirstFrame = Readonly<{ name: string; store: () => Promise<string> }>

function serveCreate(serve: Serve, routes: V1Routes): void {
  const { tasks, orders, uploads, uploadLimits, repeats, files } = routes

  /** Places an order once, however often it is sent. */
  const place = async (call: OrderCall, fields: contract.VideoOrder, frame: FirstFrame | undefined) => {
    const { userId, key: apiKey, ctx, command } = call
    const key = idempotencyKeyOf(ctx)
    // All other fields are checked before a picture is decoded.
    orders.read(apiKey, fields, frame?.name)
    // The boundary of a form differs at each attempt, so what was sent is compared, and not how.
    const sent = { ...fields, picture: frame?.name ?? null }
    const hash = createHash('sha256').update(canonicalJson(sent)).digest()
    const subject = key === undefined ? { subject: await repeats.subjectOf(apiKey.id, hash, retryCountOf(ctx)) } : {}
    const body = orders.read(apiKey, fields, await frame?.store())
    const order = { userId, key, keyed: sent, ...subject, generation: body, apiKey, command }
    const { row, isRepeated } = await tasks.generate(order)
    if (isRepeated) ctx.set('Idempotent-Replayed', 'true')
    ctx.set('OpenAI-Poll-After-Ms', `${POLL_AFTER_MS}`)
    // The row comes from the log: the roster may not show a new member of the team yet, who could read nothing.
    return orders.view(row)
  }

  serve(contract.createVideo, ({ ctx, ...call }) => {
    const accept = ({ fields, picture }: SentOrder, store: (file: Buffer) => Promise<string>) => {
      const name = picture && createHash('sha256').update(picture).digest('hex')
      return place({ ctx, ...call }, fields, picture && name ? { name, store: () => store(picture) } : undefined)
    }
    return uploads
      .acceptWith(ctx, call.userId, uploadLimits, isLarge(ctx), (store) =>
        withOrder(ctx, (order) => accept(order, store)),
      )
      .catch(throwWithParams)
  })

  serve(contract.extendVideo, async ({ ctx, ...call }) => {
    const { id, fields } = await readExtension(ctx)
    const row = await readFinished(orders, call.userId, id)
    const model = orders.offeredTo({ models: null }).find(({ id }) => id === row.model)
    if (cellsFor(model, 'image_to_video').length === 0)
      throw new Rejection('not_found', `${row.model} cannot go on from a video.`)
    const order = { model: row.model, resolution: row.resolution, seconds: row.duration, ...fields }
    const store = () => uploads.add(call.userId, uploadLimits, row.id, () => readFrame(files, row.id))
    return place({ ctx, ...call }, order, { name: `last frame of ${row.id}`, store }).catch(throwWithParams)
  })
}

/** The parts of a call that an order needs. */
type OrderCall = Readonly<{ userId: string; key: KeyCaller; ctx: RouterContext; command: Request['command'] }>
type Request = Parameters<Tasks['generate']>[0]

const retryCountOf = (ctx: RouterContext) => {
  const count = ctx.get('X-Stainless-Retry-Count')
  return RETRY_COUNT.test(count) ? Number(count) : undefined
}

/** Returns the row of the caller's finished video. @throws Rejection not_found, video_not_ready */
async function readFinished(orders: Orders, userId: string, id: string): Promise<TaskRow> {
  const row = await orders.readOwn(userId, id)
  if (row.status === 'Fail') throw new Rejection('not_found', 'This video failed, so there is no file.')
  if (row.status !== 'Success') throw new Rejection('video_not_ready', 'This video is not finished yet.')
  return row
}

function serveContent(serve: Serve, { orders, works, downloads, files: { media, copies } }: V1Routes): void {
  serve(contract.readContent, async ({ userId, params, query: { variant }, ctx }) => {
    const row = await readFinished(orders, userId, params.id)
    const cacheControl = 'private, no-cache'
    if (variant === 'thumbnail')
      await sendMedia(ctx, media, await copies.poster(row), { type: 'image/jpeg', cacheControl })
    else {
      const { prompt } = await works.view(row)
      const key = await copies.film(row, {})
      if (ctx.method !== 'HEAD') await downloads.record(userId, row.id)
      await sendMedia(ctx, media, key, { type: 'video/mp4', downloadAs: fileName(prompt), cacheControl })
    }
    return undefined
  })
}
