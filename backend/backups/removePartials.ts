import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { removeFile } from '../kernel/media/atomicFile.ts'
import { filesBelow } from '../kernel/media/filesBelow.ts'
import { DAY_MS } from './retention.ts'

const PARTIAL = /\.[0-9a-f-]{36}\.part$/

/**
 * Removes the partial files that killed processes left in these folders of a place. One that has changed within a day is kept:
 * another process may be writing it.
 */
export async function removePartials(place: string, folders: readonly string[], now: number): Promise<void> {
  for (const folder of folders)
    for await (const file of filesBelow(path.join(place, folder))) {
      if (!PARTIAL.test(file)) continue
      const changedAt = await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => now,
      )
      if (changedAt < now - DAY_MS) await removeFile(file)
    }
}

/**
 * Refuses a folder that lacks the earlier copies. Its disk may not be mounted, and new copies would go to the local one.
 * @param next folder of the next copy @throws Error
 */
export function refuseLostPlace(place: string, folders: readonly string[], next: string): void {
  const at = (folder: string) => path.join(place, folder)
  if (!folders.some((folder) => existsSync(at(folder))))
    throw new Error(`${place} has no earlier copy: is its disk mounted? For a new place, run: mkdir -p ${at(next)}`)
}
