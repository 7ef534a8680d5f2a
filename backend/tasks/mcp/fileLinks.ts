import { createHmac, timingSafeEqual } from 'node:crypto'
import Router from '@koa/router'
import { readVideoTasks } from '#projections/tasks/readVideoTasks.ts'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { isUuid } from '../../kernel/eventsourcing/uuid7.ts'
import { sendMedia } from '../../kernel/http/sendMedia.ts'
import type { MediaStore } from '../../kernel/media/mediaStore.port.ts'
import type { Database } from '../../kernel/postgres/orm.ts'
import type { Clock } from '../../kernel/time.ts'
import type { VisibleCopies } from '../downloads/visibleCopies.ts'

/** Assistants and their users open an address without a key, so it ends. */
const VALID_MS = 3_600_000
const TYPES = { film: 'video/mp4', poster: 'image/jpeg' } as const

interface FileLinks {
  readonly database: Database
  readonly files: Readonly<{ media: Pick<MediaStore, 'size' | 'read'>; copies: Pick<VisibleCopies, 'film' | 'poster'> }>
  readonly publicUrl: () => string
  readonly clock: Clock
  readonly secret: string
}

/** Creates addresses of finished videos that carry their own right for an hour, and the routes that serve them. */
export function createFileLinks({ database, files, publicUrl, clock, secret }: FileLinks) {
  const sign = (id: string, until: number) =>
    createHmac('sha256', secret).update(`film link:${id}:${until}`).digest('base64url').slice(0, 22)
  const isValid = (id: string, until: number, signature: string) => {
    const [wanted, given] = [Buffer.from(sign(id, until)), Buffer.from(signature)]
    return until > clock() && given.length === wanted.length && timingSafeEqual(given, wanted)
  }

  const router = new Router({ sensitive: true })
  for (const [file, kind] of [['film.mp4', 'film'] as const, ['poster.jpg', 'poster'] as const])
    router.get(`/links/:id/${file}`, async (ctx) => {
      const { id = '' } = ctx.params
      const isAllowed = isUuid(id) && isValid(id, Number(ctx.query.until), String(ctx.query.signature))
      const [row] = isAllowed ? await readVideoTasks(database, [id]) : []
      if (row?.status !== 'Success') throw new Rejection('not_found', 'This link has ended. Ask for a new one.')
      ctx.set('Cross-Origin-Resource-Policy', 'cross-origin')
      const key = await files.copies[kind](row)
      await sendMedia(ctx, files.media, key, { type: TYPES[kind], cacheControl: 'private, no-cache' })
    })

  return {
    router,

    /** Returns the addresses of the caller's finished video. */
    of({ id }: Readonly<{ id: string }>) {
      const until = clock() + VALID_MS
      const address = (file: string) => `${publicUrl()}/links/${id}/${file}?until=${until}&signature=${sign(id, until)}`
      return { film_url: address('film.mp4'), poster_url: address('poster.jpg'), links_end_at: new Date(until) }
    },
  }
}

export type Links = Pick<ReturnType<typeof createFileLinks>, 'of'>
