import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { createMarker } from '#backend/kernel/media/marks/createMarker.ts'
import { parseCredential } from '#backend/kernel/media/marks/credential.ts'
import { issueCredential } from '#backend/kernel/media/marks/issueCredential.ts'
import { createSigner } from '#backend/kernel/media/marks/signInThread.ts'
import { posterKey, videoKey } from '#backend/kernel/media/mediaStore.port.ts'
import { createFolderMediaStore } from '#backend/providers/storage/folderMediaStore.ts'
import { sourceOf } from '#backend/tasks/contract.ts'
import { makerOf } from '#backend/tasks/events.ts'
import type { VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { fetchVideo } from '#workflows/tasks/fetchVideo.ts'
import { Finishing } from '#workflows/tasks/rendering.ts'
import { createVideoCopies } from '../videoCopies.ts'

const COPIES = {
  watermarked: { watermark: true, label: false },
  labelled: { watermark: false, label: true },
  both: { watermark: true, label: true },
} as const

/**
 * Fetches a finished job and makes files of it, as the product does. Returns paths: the video, its poster, and with
 * `copies` every visible copy.
 */
export async function deliverShapes(
  provider: VideoProvider,
  { jobId, taskId, folder, copies }: { jobId: string; taskId: string; folder: string; copies: boolean },
): Promise<Record<string, string>> {
  const { certificates, key } = await issueCredential(Date.now())
  const signer = createSigner(async () => parseCredential(certificates, key))
  try {
    const marker = createMarker(signer, 'Kinora', undefined, { warn: () => {} })
    const media = createFolderMediaStore(path.join(folder, 'media'))
    const deps = { media, marker, temporaryDir: folder, ffmpegPath: undefined, finishing: new Finishing() }
    const film = { id: taskId, user_id: 'owner', ...makerOf('double', []) }
    const job = { taskId, origin: { source: sourceOf(film), agent: null }, jobId }
    await fetchVideo(deps, provider, job, new AbortController().signal)
    const shapes: Record<string, string> = {
      plain: await media.localPath(videoKey(taskId)),
      poster: await media.localPath(posterKey(taskId)),
    }
    const made = createVideoCopies(deps)
    for (const [name, visible] of copies ? Object.entries(COPIES) : []) {
      shapes[name] = path.join(folder, `${name}.mp4`)
      await copyFile(await media.localPath(await made.film(film, visible)), shapes[name])
    }
    if (copies) {
      shapes.watermarkedPoster = path.join(folder, 'watermarked.jpg')
      await copyFile(await media.localPath(await made.watermarkedPoster(film)), shapes.watermarkedPoster)
    }
    return shapes
  } finally {
    await signer.close()
  }
}
