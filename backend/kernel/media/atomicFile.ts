import { rename, unlink } from 'node:fs/promises'

/** Returns a temporary path for writing `out`. It contains the pid, so that a parent can remove its child's file. */
export const partPath = (out: string, pid: number = process.pid): string => `${out}.${pid}.part`

/**
 * Writes a file under a temporary name and renames it to `out`. Removes the temporary file on failure.
 * @example await writeAtomically('poster.jpg', (part) => writeFile(part, jpeg))
 */
export async function writeAtomically<T>(out: string, write: (part: string) => Promise<T>): Promise<T> {
  const part = partPath(out)
  try {
    const result = await write(part)
    await rename(part, out)
    return result
  } catch (error) {
    await removeFile(part)
    throw error
  }
}

/** Removes a file if it exists. It takes one system call; `rm` takes three. */
export async function removeFile(file: string): Promise<void> {
  await unlink(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}
