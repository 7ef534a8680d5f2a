import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { TextFiles } from '../textFiles.port.ts'
import { removeFile } from './atomicFile.ts'
import type { ListedStore } from './mediaStore.port.ts'

/** Stores text files in a folder or bucket. */
export function textFilesIn(files: Pick<ListedStore, 'size' | 'read' | 'put'>, temporaryDir: string): TextFiles {
  return {
    async read(name) {
      return (await files.size(name)) === undefined ? undefined : text(files.read(name))
    },
    async write(name, content) {
      const file = path.join(temporaryDir, `${randomUUID()}-${name}`)
      try {
        await writeFile(file, content)
        await files.put(name, file)
      } finally {
        await removeFile(file)
      }
    },
  }
}
