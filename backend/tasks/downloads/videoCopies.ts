import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { Rejection } from '../../kernel/eventsourcing/pure/decider.ts'
import { removeFile } from '../../kernel/media/atomicFile.ts'
import type { Marker } from '../../kernel/media/marks/createMarker.ts'
import {
  labelledAndWatermarkedKey,
  labelledKey,
  type MediaStore,
  videoKey,
  watermarkedKey,
} from '../../kernel/media/mediaStore.port.ts'
import { stampVideo } from '../../kernel/media/stampVideo.ts'
import { Pool } from '../../kernel/pool.ts'

export type Video = Readonly<{ userId: string; taskId: string }>

/** Visible marks that a download must have. */
export type Visible = Readonly<{ watermark: boolean; label: boolean }>

/** Copies made at the same time. A copy that a client gave up on is made all the same. */
const MAX_MAKING = 2

export interface VideoCopies {
  readonly media: MediaStore
  readonly marker: Pick<Marker, 'markCopy'>
  readonly temporaryDir: string
  readonly ffmpegPath: string | undefined
}

/**
 * Creates a function that returns the key of a video with visible marks. It makes a copy on first use; concurrent calls
 * share it. The function throws Rejection not_found if the video is deleted in between.
 */
export function createVideoCopies({ media, marker, temporaryDir, ffmpegPath }: VideoCopies) {
  const running = new Map<string, Promise<void>>()
  const pool = new Pool(MAX_MAKING)

  const make = async (taskId: string, key: string, { watermark, label }: Visible) => {
    const out = path.join(temporaryDir, `${randomUUID()}.mp4`)
    const requireOriginal = async () => {
      if ((await media.size(videoKey(taskId))) === undefined)
        throw new Rejection('not_found', 'This video was deleted.')
    }
    try {
      const original = await media.localPath(videoKey(taskId))
      await stampVideo(original, out, { watermark: watermark ? 'Kinora' : undefined, label }, { ffmpegPath })
      await marker.markCopy(out, taskId, original, changeOf({ watermark, label }))
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

  return async ({ userId, taskId }: Video, visible: Visible): Promise<string> => {
    const key = keyOf(visible)(taskId)
    if (key === videoKey(taskId) || (await media.size(key)) !== undefined) return key
    const started = () => pool.run({ owner: userId }, () => make(taskId, key, visible))
    const making = running.get(key) ?? started().finally(() => running.delete(key))
    running.set(key, making)
    await making
    return key
  }
}

function keyOf({ watermark, label }: Visible): (taskId: string) => string {
  if (watermark) return label ? labelledAndWatermarkedKey : watermarkedKey
  return label ? labelledKey : videoKey
}

const changeOf = ({ watermark, label }: Visible): string =>
  [watermark && 'A watermark was added.', label && 'A label that AI made the video was added.']
    .filter(Boolean)
    .join(' ')
