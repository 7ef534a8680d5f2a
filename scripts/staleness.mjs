import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Hashes the names and contents of files in `root`. */
export function filesHash(root, files) {
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

/** Returns whether a build's stamp, a file with the hash of its inputs, has this hash. */
export const isCurrent = (stamp, hash) => existsSync(stamp) && readFileSync(stamp, 'utf8') === hash
