import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { removeFile } from '../../kernel/media/atomicFile.ts'
import type { TextFiles } from '../../kernel/textFiles.port.ts'
import { openPlace } from '../backups/openPlace.ts'
import type { Config } from '../config/readConfig.ts'

/** Opens the place that `HEADS_TO` names, for the heads of the ledger and the list of erased accounts. */
export function openHeadFiles(headsTo: Config['headsTo'], temporaryDir: string): TextFiles {
  const files = openPlace(headsTo, temporaryDir)
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
