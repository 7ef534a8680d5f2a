import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import type { MediaStore } from '../media/mediaStore.port.ts'

interface SendOptions {
  readonly type: string
  /** File name of the download; without it, the browser shows the file inline. */
  readonly downloadAs?: string
  readonly cacheControl?: string
}

/**
 * Responds with a file from the media store, with the requested byte range, or with 304 if the client has it (RFC 9110).
 * A path may serve another key later, so a range of an earlier one is not continued.
 * @throws Rejection not_found, range_not_satisfiable
 * @example await sendMedia(ctx, media, videoKey(taskId), { type: 'video/mp4', downloadAs: 'video.mp4' })
 */
export async function sendMedia(
  ctx: Context,
  media: Pick<MediaStore, 'size' | 'read'>,
  key: string,
  { type, downloadAs, cacheControl = 'private, max-age=3600' }: SendOptions,
): Promise<void> {
  const size = await media.size(key)
  if (size === undefined) throw new Rejection('not_found', 'This file does not exist.')
  ctx.set('Accept-Ranges', 'bytes')
  // A key's content never changes, but shared caches must not store it.
  ctx.set('Cache-Control', cacheControl)
  ctx.set('X-Content-Type-Options', 'nosniff')
  if (downloadAs) ctx.set('Content-Disposition', attachment(downloadAs))
  const etag = `"${createHash('sha256').update(`${key} ${size}`).digest('base64url').slice(0, 22)}"`
  ctx.set('ETag', etag)
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const isOfThisFile = [etag, ''].includes(ctx.get('If-Range'))
  const range = isOfThisFile ? rangeOf(ctx.get('Range'), size) : undefined
  if (range === 'unsatisfiable') {
    ctx.set('Content-Range', `bytes */${size}`)
    throw new Rejection('range_not_satisfiable', 'The requested range is beyond the end of the file.')
  }
  if (range) ctx.status = 206
  if (range) ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
  ctx.type = type
  ctx.body = ctx.method === 'HEAD' ? Readable.from([]) : media.read(key, range)
  ctx.length = range ? range.end - range.start + 1 : size
}

/** Parses a single byte range. Returns undefined (send the whole file) for several ranges or other units. */
function rangeOf(header: string, size: number): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start > end || start >= size ? 'unsatisfiable' : { start, end }
}

/** Returns a `Content-Disposition` with the name in ASCII for old clients and in UTF-8 (RFC 6266, RFC 8187). */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
