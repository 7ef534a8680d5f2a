import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { removeFile } from '../../kernel/media/atomicFile.ts'
import { filesBelow } from '../../kernel/media/filesBelow.ts'
import type { ListedStore } from '../../kernel/media/mediaStore.port.ts'

/** Creates a media store in a local folder. */
export function createFolderMediaStore(root: string): ListedStore {
  const at = (key: string) => {
    const file = path.join(root, key)
    if (!file.startsWith(root + path.sep)) throw new Error(`The media key leaves its folder: ${key}`)
    return file
  }

  return {
    async put(key, file) {
      const target = at(key)
      const folder = path.dirname(target)
      const made = await mkdir(folder, { recursive: true })
      await flush(file)
      await rename(file, target).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EXDEV') throw error
        await copyAcross(file, target)
        await removeFile(file)
      })
      const first = made === undefined ? folder : path.dirname(made)
      for (let each = folder; each.startsWith(first); each = path.dirname(each)) await flushFolder(each)
    },

    async size(key) {
      try {
        return (await stat(at(key))).size
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },

    read: (key, range) => createReadStream(at(key), range),
    localPath: async (key) => at(key),
    remove: (key) => removeFile(at(key)),

    async *list(folder) {
      for await (const file of filesBelow(path.join(root, folder))) {
        if (file.endsWith('.part')) continue
        const found = await stat(file).catch(() => undefined)
        if (found) yield { key: path.relative(root, file).split(path.sep).join('/'), size: found.size }
      }
    },
  }
}

/** Copies a file from another file system, so that it appears as a whole. */
async function copyAcross(file: string, target: string): Promise<void> {
  const partial = `${target}.${randomUUID()}.part`
  try {
    await copyFile(file, partial)
    await flush(partial)
    await rename(partial, target)
  } catch (error) {
    await removeFile(partial)
    throw error
  }
}

/** Syncs a file to disk, because media recorded in the event log must survive a power failure. */
async function flush(file: string, flags = 'r+'): Promise<void> {
  const handle = await open(file, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Syncs the names in a folder to disk, unless its file system cannot, as some network shares. */
async function flushFolder(folder: string): Promise<void> {
  await flush(folder, 'r').catch((error: NodeJS.ErrnoException) => {
    if (!['EINVAL', 'EBADF', 'ENOTSUP', 'EISDIR'].includes(error.code ?? '')) throw error
  })
}
