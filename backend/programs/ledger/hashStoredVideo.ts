import path from 'node:path'
import { readStorage } from '../../app/config/storageConfig.ts'
import type { HashVideo } from '../../audit/outside/deliveredFiles.ts'
import { videoKey } from '../../kernel/media/mediaStore.port.ts'
import { sha256OfStream } from '../../kernel/media/sha256.ts'
import { createFolderMediaStore } from '../../providers/storage/folderMediaStore.ts'
import { createS3MediaStore } from '../../providers/storage/s3MediaStore.ts'

/** Opens the media storage of the configured installation and hashes its videos. @throws ConfigError */
export function hashStoredVideo(env: NodeJS.ProcessEnv, dataDir: string): HashVideo {
  const bucket = readStorage(env)
  const folder = path.join(dataDir, 'media')
  const media = bucket ? createS3MediaStore(bucket, folder) : createFolderMediaStore(folder)
  return async (taskId) => {
    const key = videoKey(taskId)
    return (await media.size(key)) === undefined ? undefined : sha256OfStream(media.read(key))
  }
}
