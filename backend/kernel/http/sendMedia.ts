import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { Rejection } from '../eventsourcing/pure/decider.ts'
import type { MediaStore } from '../media/mediaStore.port.ts'

interface Sending {
  readonly type: string
  /** A name for saving the file; left out, it is shown in place. */
  readonly downloadAs?: string
}

/** Answers with a file of the media store, or with the part that was asked for (RFC 9110, ranges of bytes). */
export async function sendMedia(
  ctx: Context,
  media: MediaStore,
  key: string,
  { type, downloadAs }: Sending,
): Promise<void> {
  const size = await media.size(key)
  if (size === undefined) throw new Rejection('not_found', 'This file does not exist.')
  ctx.set('Accept-Ranges', 'bytes')
  // Files never change under their key, but they belong to one person.
  ctx.set('Cache-Control', 'private, max-age=3600')
  ctx.set('X-Content-Type-Options', 'nosniff')
  if (downloadAs) ctx.set('Content-Disposition', attachment(downloadAs))
  const range = rangeOf(ctx.get('Range'), size)
  if (range === 'unsatisfiable') {
    ctx.set('Content-Range', `bytes */${size}`)
    throw new Rejection('range_not_satisfiable', 'The file is shorter than that.')
  }
  ctx.status = range ? 206 : 200
  if (range) ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
  ctx.type = type
  ctx.body = ctx.method === 'HEAD' ? Readable.from([]) : media.read(key, range)
  ctx.length = range ? range.end - range.start + 1 : size
}

/** The one range of a header; several at once or another unit are answered with the whole file, as the RFC allows. */
function rangeOf(header: string, size: number): { start: number; end: number } | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start > end || start >= size ? 'unsatisfiable' : { start, end }
}

/** The name twice: in ASCII for old programs, and as it is (RFC 6266, RFC 8187). */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
