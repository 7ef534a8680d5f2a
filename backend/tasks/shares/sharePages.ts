import Router, { type RouterContext } from '@koa/router'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { sendMedia } from '../../kernel/http/sendMedia.ts'
import type { RenderPage } from '../../kernel/http/site/renderedPages.ts'
import type { MediaStore } from '../../kernel/media/mediaStore.port.ts'
import type { SharedVideo } from '../contract.ts'
import type { SharedVideos } from './sharedVideos.ts'

interface SharePages {
  readonly sharedVideos: SharedVideos
  readonly media: Pick<MediaStore, 'size' | 'read'>
  /** Renders a page of the site. */
  readonly render: RenderPage
  readonly publicUrl: () => string
}

/** Consumers of shared pages show their pictures and embed their player. */
const PUBLIC = { 'Cross-Origin-Resource-Policy': 'cross-origin' }

/**
 * Serves the public pages of shared videos, their files, the embedded player and oEmbed. Every request reads the share,
 * so that it ends on all processes with its row.
 */
export function sharePages({ sharedVideos, media, render, publicUrl }: SharePages): Router {
  const router = new Router()

  for (const locale of ['', '/zh'])
    for (const player of ['', '/embed'])
      router.get(`${locale}/v/:id${player}`, async (ctx) => {
        const share = await sharedVideos.view(ctx.params.id ?? '')
        const removed = !share && (await sharedVideos.isRemoved(ctx.params.id ?? ''))
        const path = `${locale}/v/${share?.id ?? 'gone'}${player}`
        const status = share ? 200 : removed ? 410 : 404
        await render(ctx, { path, status, locals: { share, removed }, isFramed: player !== '' })
      })

  const send = async (ctx: RouterContext, key: string, type: string) => {
    ctx.set(PUBLIC)
    // Browsers ask again, because the share may end.
    await sendMedia(ctx, media, key, { type, cacheControl: 'private, no-cache' })
  }
  const signatureOf = ({ query }: RouterContext) => String(query.signature ?? '')
  router.get('/v/:id/film.mp4', async (ctx) =>
    send(ctx, await sharedVideos.filmKey(ctx.params.id ?? '', signatureOf(ctx)), 'video/mp4'),
  )
  router.get('/v/:id/poster.jpg', async (ctx) =>
    send(ctx, await sharedVideos.posterKey(ctx.params.id ?? '', signatureOf(ctx)), 'image/jpeg'),
  )

  router.get('/oembed', async (ctx) => {
    if ((ctx.query.format ?? 'json') !== 'json') {
      ctx.status = 501
      return
    }
    const id = idIn(String(ctx.query.url ?? ''), publicUrl())
    const share = id && (await sharedVideos.view(id))
    if (!share) throw new Rejection('not_found', 'This video is not shared.')
    const limits = {
      width: Number(ctx.query.maxwidth) || share.width,
      height: Number(ctx.query.maxheight) || share.height,
    }
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Cache-Control', 'no-store')
    ctx.body = oEmbed(share, publicUrl(), limits)
  })
  return router
}

/** Returns the id in the address of a share page of this installation. */
function idIn(address: string, publicUrl: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { origin, pathname } = new URL(address)
  return origin === new URL(publicUrl).origin
    ? /^(?:\/zh)?\/v\/([\w-]{22})(?:\/embed)?$/.exec(pathname)?.[1]
    : undefined
}

/** Describes the embedded player (https://oembed.com), scaled down to the limits of the consumer, in pixels. */
function oEmbed(share: SharedVideo, publicUrl: string, limits: { width: number; height: number }) {
  const scale = Math.min(1, limits.width / share.width, limits.height / share.height)
  const width = Math.max(1, Math.floor(share.width * scale))
  const height = Math.max(1, Math.floor(share.height * scale))
  return {
    version: '1.0',
    type: 'video',
    provider_name: 'Kinora',
    provider_url: publicUrl,
    title: share.prompt || 'Kinora',
    ...(share.name ? { author_name: share.name } : {}),
    thumbnail_url: publicUrl + share.poster_url,
    thumbnail_width: share.width,
    thumbnail_height: share.height,
    html: `<iframe src="${publicUrl}/v/${share.id}/embed" width="${width}" height="${height}" title="Kinora" frameborder="0" allow="autoplay; fullscreen" allowfullscreen></iframe>`,
    width,
    height,
  }
}
