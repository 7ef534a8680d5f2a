import type { Readable } from 'node:stream'

/** Where finished files live. Keys are paths of plain names, such as `videos/<task>.mp4`. */
export interface MediaStore {
  /** Takes a finished file over under its key, as a whole or not at all. */
  put(key: string, file: string): Promise<void>
  /** Bytes, or undefined where there is no such file. */
  size(key: string): Promise<number | undefined>
  /** The bytes from `start` to `end`, both included. */
  read(key: string, range?: { start: number; end: number }): Readable
  /** A path on this machine under which the file can be read. */
  localPath(key: string): Promise<string>
  remove(key: string): Promise<void>
}

export const videoKey = (taskId: string) => `videos/${taskId}.mp4`
export const posterKey = (taskId: string) => `posters/${taskId}.jpg`
export const watermarkedKey = (taskId: string) => `watermarked/${taskId}.mp4`
export const imageKey = (imageId: string) => `images/${imageId}.jpg`

/** Removes all files of a task. */
export async function removeTaskMedia(media: Pick<MediaStore, 'remove'>, taskId: string): Promise<void> {
  for (const key of [videoKey, posterKey, watermarkedKey]) await media.remove(key(taskId))
}
