import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { MediaStore } from '../../kernel/media/mediaStore.port.ts'

/** Media in a folder of this machine. */
export function createFolderMediaStore(root: string): MediaStore {
  const at = (key: string) => {
    const file = path.join(root, key)
    if (!file.startsWith(root + path.sep)) throw new Error(`A media key leaves its folder: ${key}`)
    return file
  }

  return {
    async put(key, file) {
      const target = at(key)
      await mkdir(path.dirname(target), { recursive: true })
      const arriving = `${target}.${randomUUID()}.part`
      try {
        await rename(file, arriving).catch(async (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EXDEV') throw error
          await copyFile(file, arriving)
        })
        await flush(arriving)
        await rename(arriving, target)
      } finally {
        await rm(arriving, { force: true })
      }
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
    remove: (key) => rm(at(key), { force: true }),
  }
}

/** What the log calls finished must survive a power cut. */
async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
