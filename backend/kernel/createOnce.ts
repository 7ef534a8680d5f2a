import { randomUUID } from 'node:crypto'
import { constants, copyFileSync, existsSync, linkSync, rmSync, writeFileSync } from 'node:fs'

/** Errors of file systems without hard links, such as SMB. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'ENOSYS']

/**
 * Creates a file, with mode 0600 by default, unless it exists. Processes that start together agree on one content, and
 * none reads half of it, even after a crash.
 * @returns false if it exists
 * @example createOnce('.data/secrets.json', JSON.stringify(secrets))
 */
export function createOnce(file: string, content: string, mode = 0o600): boolean {
  // The folder may be read-only to a process that is not the first.
  if (existsSync(file)) return false
  const made = `${file}.${randomUUID()}.part`
  try {
    writeFileSync(made, content, { mode, flush: true })
    linkOrCopy(made, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(made, { force: true })
  }
}

function linkOrCopy(made: string, file: string): void {
  try {
    linkSync(made, file)
  } catch (error) {
    if (!NO_LINKS.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    copyFileSync(made, file, constants.COPYFILE_EXCL)
  }
}
