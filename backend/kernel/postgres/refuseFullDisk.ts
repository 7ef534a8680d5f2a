import { statfs } from 'node:fs/promises'

/** PostgreSQL stops when it cannot create the next segment of its log, of 16 MiB. It refuses rows only when nothing is free. */
const MIN_FREE_BYTES = 2 ** 24

/**
 * Rejects if the disk of a folder has less space than an embedded PostgreSQL needs to go on. A probe cannot tell: its row
 * fits where orders no longer do.
 * @throws Error
 */
export async function refuseFullDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < MIN_FREE_BYTES) throw new Error(`the disk of ${folder} is full`)
}
