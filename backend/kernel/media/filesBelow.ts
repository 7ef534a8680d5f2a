import { readdir } from 'node:fs/promises'
import path from 'node:path'

/** Folder of ext4 at the root of a disk. Only root can read it. */
export const LOST_AND_FOUND = 'lost+found'

/**
 * Yields the paths of the files below a folder, which need not exist.
 * @example for await (const file of filesBelow('.data/media')) console.log(file)
 */
export async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const entry of entries) {
    const file = path.join(folder, entry.name)
    if (entry.isFile()) yield file
    else if (entry.isDirectory() && entry.name !== LOST_AND_FOUND) yield* filesBelow(file)
  }
}
