import type { ListedStore } from '../kernel/media/mediaStore.port.ts'
import { textFilesIn } from '../kernel/media/textFilesIn.ts'
import type { TextFiles } from '../kernel/textFiles.port.ts'
import { createFolderMediaStore } from '../providers/storage/folderMediaStore.ts'
import { createS3MediaStore } from '../providers/storage/s3MediaStore.ts'
import type { FilePlace } from './config/storageConfig.ts'

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

/** Opens the place that `HEADS_TO` names, for the heads of the ledger and the list of erased accounts. */
export const openHeadFiles = (headsTo: FilePlace, temporaryDir: string): TextFiles =>
  textFilesIn(openPlace(headsTo, temporaryDir), temporaryDir)
