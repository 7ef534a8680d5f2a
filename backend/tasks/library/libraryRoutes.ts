import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import type { Serve } from '../../kernel/http/endpoint.ts'
import { idempotencyKeyOf } from '../../kernel/http/idempotency.ts'
import type { MediaStore } from '../../kernel/media/mediaStore.port.ts'
import * as contract from '../contract.ts'
import { fileName } from '../downloads/fileName.ts'
import type { VideoDownloads } from '../downloads/videoDownloads.ts'
import type { VisibleCopies } from '../downloads/visibleCopies.ts'
import { removeVideo } from '../removeVideo.ts'
import type { Shares } from '../shares/shares.ts'
import type { Tasks } from '../tasks.ts'
import type { Works } from '../works.ts'
import { planJoin } from './joinOrder.ts'
import type { Marks } from './marks.ts'
import { zipFiles } from './zipFiles.ts'

export interface LibraryRoutes {
  readonly works: Works
  readonly tasks: Pick<Tasks, 'join' | 'remove'>
  /** What users attach to their videos. */
  readonly attached: Readonly<{ marks: Marks; shares: Pick<Shares, 'end'> }>
  readonly files: Readonly<{ media: Pick<MediaStore, 'read'>; copies: Pick<VisibleCopies, 'film'> }>
  readonly downloads: Pick<VideoDownloads, 'record'>
}

/** Serves favourites and folders, and the calls that take many videos. */
export function serveLibrary(serve: Serve, { works, tasks, attached, files, downloads }: LibraryRoutes): void {
  const { marks } = attached
  const readAll = (userId: string, ids: readonly string[]) =>
    Promise.all([...new Set(ids)].map((id) => works.readFinished(userId, id)))

  serve(contract.listMarks, async ({ userId }) => ({ marks: await marks.list(userId) }))

  serve(contract.markVideos, async ({ userId, body: { ids, ...change } }) => {
    await marks.set(userId, await readAll(userId, ids), change)
    return undefined
  })

  serve(contract.joinVideos, async ({ userId, body, ctx, command }) => {
    const plan = async () => {
      const ids = body.clips.map(({ id }) => id)
      return planJoin(body, new Map((await readAll(userId, ids)).map((row) => [row.id, row])))
    }
    return { task: await works.view(await tasks.join({ userId, key: idempotencyKeyOf(ctx), body, command, plan })) }
  })

  serve(contract.archive, async ({ userId, query, ctx }) => {
    // Every id is checked before the first byte: a started response cannot report an error.
    const rows = await readAll(userId, query.ids)
    const zipped = async function* () {
      for (const row of rows) {
        const key = await files.copies.film(row)
        const { prompt, created_at } = await works.view(row)
        await downloads.record(userId, row.id)
        yield { name: fileName(prompt), at: new Date(created_at), open: () => files.media.read(key) }
      }
    }
    ctx.set('Content-Disposition', 'attachment; filename="kinora.zip"')
    ctx.type = 'application/zip'
    // A zip that is not read would keep its first file open.
    if (ctx.method !== 'HEAD') ctx.body = zipFiles(zipped())
    return undefined
  })

  serve(contract.deleteTasks, async ({ userId, body, command }) => {
    const remove = async (id: string) => {
      try {
        await removeVideo({ works, tasks, ...attached }, userId, id, command)
        return { id, code: undefined }
      } catch (error) {
        if (!(error instanceof Rejection)) throw error
        return { id, code: error.code }
      }
    }
    // Side by side: otherwise a video at the end of the list could start while those before it are deleted.
    const removed = await Promise.all([...new Set(body.ids)].map(remove))
    return {
      deleted: removed.filter(({ code }) => code === undefined).map(({ id }) => id),
      failed: removed.flatMap(({ id, code }) => (code === undefined ? [] : [{ id, code }])),
    }
  })
}
