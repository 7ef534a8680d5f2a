import path from 'node:path'
import { readTaskIds } from '#projections/tasks/readVideoTasks.ts'
import { createErasures, findUnerased } from '../accounts/erasures.ts'
import { destroyUserKey } from '../accounts/keys/userKeys.ts'
import { removeTaskMedia } from '../kernel/media/mediaStore.port.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import { createFolderMediaStore } from '../providers/storage/folderMediaStore.ts'
import { createImageUploads } from '../tasks/uploads/imageUploads.ts'
import { ERASE_ROWS } from './services.ts'

/**
 * Erases those accounts again that a restored installation contains: their rows, keys and media files. The next start
 * finds the requests, and ends the accounts' tasks and subscriptions in the log. Returns the number of accounts.
 */
export async function eraseAgain(database: Database, dataDir: string, userIds: Iterable<string>): Promise<number> {
  // Files in a bucket are not part of a backup: the erasure has removed them.
  const media = createFolderMediaStore(path.join(dataDir, 'media'))
  const { request, removeRows } = createErasures({
    database,
    now: Date.now,
    destroyKey: (userId) => destroyUserKey(database.em.fork(), userId),
    eraseRows: ERASE_ROWS,
  })
  const unerased = await findUnerased(database, userIds)
  for (const userId of unerased) {
    await request(userId)
    for (const taskId of await readTaskIds(database, userId)) await removeTaskMedia(media, taskId)
    await createImageUploads(database, media, dataDir).eraseAll(userId)
    await removeRows(userId)
  }
  return unerased.length
}
