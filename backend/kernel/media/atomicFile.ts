import { rename, rm } from 'node:fs/promises'

/** Where a file is written before it takes its name. Names the writing process, so that its parent can tidy up. */
export function partPath(out: string, pid: number = process.pid): string {
  return `${out}.${pid}.part`
}

/** Lets `write` fill a `.part` file and renames it to `out`; whatever goes wrong, no `.part` file stays behind. */
export async function writeAtomically<T>(out: string, write: (part: string) => Promise<T>): Promise<T> {
  const part = partPath(out)
  try {
    const result = await write(part)
    await rename(part, out)
    return result
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
