import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { removeFile } from '../../kernel/media/atomicFile.ts'
import type { Marker } from '../../kernel/media/marks/createMarker.ts'
import {
  labelledAndWatermarkedKey,
  labelledKey,
  type MediaStore,
  posterKey,
  videoKey,
  watermarkedKey,
  watermarkedStillKey,
} from '../../kernel/media/mediaStore.port.ts'
import { stampImage, stampVideo } from '../../kernel/media/stampVideo.ts'
import { Pool } from '../../kernel/pool.ts'
import { type Film, sourceOf } from '../contract.ts'

/** Visible marks that a copy must have. */
export type Visible = Readonly<{ watermark: boolean; label: boolean }>

/** Copies made at the same time. A copy that a client gave up on is made all the same. */
const MAX_MAKING = 2
export const WATERMARK = 'Kinora'
const WATERMARKED = 'A watermark was added.'

export interface VideoCopies {
  readonly media: MediaStore
  readonly marker: Pick<Marker, 'markCopy' | 'markPosterCopy'>
  readonly temporaryDir: string
  readonly ffmpegPath: string | undefined
}

/**
 * Creates functions that return the keys of a video with visible marks and of its watermarked poster. They make a copy on
 * first use; concurrent calls share it. They throw Rejection not_found if the video is deleted in between.
 */
export function createVideoCopies({ media, marker, temporaryDir, ffmpegPath }: VideoCopies) {
  const running = new Map<string, Promise<void>>()
  const pool = new Pool(MAX_MAKING)

  const make = async (key: string, original: string, write: (original: string, out: string) => Promise<void>) => {
    const out = path.join(temporaryDir, randomUUID() + path.extname(key))
    const requireOriginal = async () => {
      if ((await media.size(original)) === undefined) throw new Rejection('not_found', 'This video was deleted.')
    }
    try {
      await write(await media.localPath(original), out)
      await media.put(key, out)
      await requireOriginal()
    } catch (error) {
      await requireOriginal().catch(async (deleted) => {
        // A deletion removes only the copies that exist by then.
        await media.remove(key)
        throw deleted
      })
      throw error
    } finally {
      await removeFile(out)
    }
  }

  /** Returns `key`, with the file that `write` makes from the original, unless it is stored already. */
  const copyOf = async (userId: string, key: string, ...how: [string, Parameters<typeof make>[2]]): Promise<string> => {
    if ((await media.size(key)) !== undefined) return key
    const started = () => pool.run({ owner: userId }, () => make(key, ...how))
    const making = running.get(key) ?? started().finally(() => running.delete(key))
    running.set(key, making)
    await making
    return key
  }

  return {
    async film(film: Film, visible: Visible): Promise<string> {
      const key = keyOf(visible)(film.id)
      if (key === videoKey(film.id)) return key
      const { watermark, label } = visible
      return copyOf(film.user_id, key, videoKey(film.id), async (original, out) => {
        await stampVideo(original, out, { watermark: watermark ? WATERMARK : undefined, label }, { ffmpegPath })
        await marker.markCopy(out, markedFilm(film), original, changeOf(visible))
      })
    },

    watermarkedPoster: (film: Film): Promise<string> =>
      copyOf(film.user_id, watermarkedStillKey(film.id), posterKey(film.id), async (original, out) => {
        await stampImage(original, out, WATERMARK, { ffmpegPath })
        await marker.markPosterCopy(out, markedFilm(film), original, WATERMARKED)
      }),
  }
}

const markedFilm = (film: Film) => ({
  taskId: film.id,
  origin: { source: sourceOf(film), agent: film.engine_model },
})

function keyOf({ watermark, label }: Visible): (taskId: string) => string {
  if (watermark) return label ? labelledAndWatermarkedKey : watermarkedKey
  return label ? labelledKey : videoKey
}

const changeOf = ({ watermark, label }: Visible): string =>
  [watermark && WATERMARKED, label && 'A label that AI made the video was added.'].filter(Boolean).join(' ')
