import { stat } from 'node:fs/promises'
import path from 'node:path'
import { removeFile } from '../../kernel/media/atomicFile.ts'
import { filesBelow } from '../../kernel/media/filesBelow.ts'
import type { FilePlace } from '../config/storageConfig.ts'
import { DAY_MS } from './retention.ts'

const PARTIAL = /\.[0-9a-f-]{36}\.part$/

/**
 * Removes the partial files that killed processes left in these folders. One that has changed within a day is kept:
 * another process may be writing it.
 */
export async function removePartials(place: FilePlace, folders: readonly string[], now: number): Promise<void> {
  if (!('folder' in place)) return
  for (const folder of folders)
    for await (const file of filesBelow(path.join(place.folder, folder))) {
      if (!PARTIAL.test(file)) continue
      const changedAt = await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => now,
      )
      if (changedAt < now - DAY_MS) await removeFile(file)
    }
}
