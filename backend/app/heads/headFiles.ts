import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { TextFiles } from '../../kernel/textFiles.port.ts'
import { createFolderMediaStore } from '../../providers/storage/folderMediaStore.ts'
import { createS3MediaStore } from '../../providers/storage/s3MediaStore.ts'
import type { Config } from '../config/readConfig.ts'

/** Opens the place that `HEADS_TO` names, for the heads of the ledger and the list of erased accounts. */
export function openHeadFiles(headsTo: Config['headsTo'], temporaryDir: string): TextFiles {
  const files =
    'folder' in headsTo ? createFolderMediaStore(headsTo.folder) : createS3MediaStore(headsTo.bucket, temporaryDir)
  const prefix = 'folder' in headsTo ? '' : headsTo.prefix
  return {
    async read(name) {
      const size = await files.size(`${prefix}${name}`)
      return size === undefined ? undefined : text(files.read(`${prefix}${name}`))
    },
    async write(name, content) {
      const file = path.join(temporaryDir, `${randomUUID()}-${name}`)
      await writeFile(file, content)
      await files.put(`${prefix}${name}`, file)
    },
  }
}
