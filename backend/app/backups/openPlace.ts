import { existsSync } from 'node:fs'
import path from 'node:path'
import type { ListedStore } from '../../kernel/media/mediaStore.port.ts'
import { createFolderMediaStore } from '../../providers/storage/folderMediaStore.ts'
import { createS3MediaStore } from '../../providers/storage/s3MediaStore.ts'
import type { FilePlace } from '../config/storageConfig.ts'

/** Opens a folder or a part of a bucket. `temporaryDir` takes local copies of files in a bucket. */
export function openPlace(place: FilePlace, temporaryDir: string): ListedStore {
  if ('folder' in place) return createFolderMediaStore(place.folder)
  const files = createS3MediaStore(place.bucket, temporaryDir)
  const { prefix } = place
  return {
    put: (key, file) => files.put(prefix + key, file),
    size: (key) => files.size(prefix + key),
    read: (key, range) => files.read(prefix + key, range),
    localPath: (key) => files.localPath(prefix + key),
    remove: (key) => files.remove(prefix + key),
    async *list(folder) {
      for await (const { key, size } of files.list(prefix + folder)) yield { key: key.slice(prefix.length), size }
    },
  }
}

/**
 * Refuses a folder that lacks the earlier copies. Its disk may not be mounted, and new copies would go to the local one.
 * @param next folder of the next copy @throws Error
 */
export function refuseLostPlace(place: FilePlace, folders: readonly string[], next: string): void {
  if (!('folder' in place)) return
  const at = (folder: string) => path.join(place.folder, folder)
  if (!folders.some((folder) => existsSync(at(folder))))
    throw new Error(
      `${place.folder} has no earlier copy: is its disk mounted? For a new place, run: mkdir -p ${at(next)}`,
    )
}
