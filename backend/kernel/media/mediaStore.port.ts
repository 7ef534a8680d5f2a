import type { Readable } from 'node:stream'

/** Stores finished files. Keys are relative paths, such as `videos/<task>.mp4`. */
export interface MediaStore {
  /** Atomically moves a finished file to its key. */
  put(key: string, file: string): Promise<void>
  /** Returns the size in bytes; undefined if there is no such file. */
  size(key: string): Promise<number | undefined>
  /** Reads a file, or its bytes from `start` to `end` inclusive. */
  read(key: string, range?: { start: number; end: number }): Readable
  /** Returns a local path from which the file can be read. */
  localPath(key: string): Promise<string>
  remove(key: string): Promise<void>
}

/** A media store that lists its files. */
export interface ListedStore extends MediaStore {
  /** Lists the files below a folder, such as `videos/`, with their sizes in bytes; an empty name lists all files. */
  list(folder: string): AsyncIterable<{ readonly key: string; readonly size: number }>
}

export const videoKey = (taskId: string) => `videos/${taskId}.mp4`
export const posterKey = (taskId: string) => `posters/${taskId}.jpg`
export const watermarkedKey = (taskId: string) => `watermarked/${taskId}.mp4`
export const labelledKey = (taskId: string) => `labelled/${taskId}.mp4`
export const labelledAndWatermarkedKey = (taskId: string) => `labelled-watermarked/${taskId}.mp4`
export const imageKey = (imageId: string) => `images/${imageId}.jpg`
/** Key of a watermarked still: the poster of a task, or an uploaded image that was taken from a video. */
export const watermarkedStillKey = (id: string) => `watermarked/${id}.jpg`

/** Removes all files of a task. @example await removeTaskMedia(media, taskId) */
export async function removeTaskMedia(media: Pick<MediaStore, 'remove'>, taskId: string): Promise<void> {
  const copies = [watermarkedKey, watermarkedStillKey, labelledKey, labelledAndWatermarkedKey]
  for (const key of [videoKey, posterKey, ...copies]) await media.remove(key(taskId))
}

/** Removes all files of an uploaded image. @example await removeImageMedia(media, imageId) */
export async function removeImageMedia(media: Pick<MediaStore, 'remove'>, imageId: string): Promise<void> {
  await Promise.all([imageKey, watermarkedStillKey].map((key) => media.remove(key(imageId))))
}
