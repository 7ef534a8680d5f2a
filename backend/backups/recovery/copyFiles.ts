import { createHash } from 'node:crypto'
import { constants, createReadStream, existsSync, readdirSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OPERATOR_KEYS } from '../../audit/operatorKeys.ts'
import { LOST_AND_FOUND } from '../../kernel/media/filesBelow.ts'
import { RecoveryError, SECRETS } from './manifest.ts'

/** SHA-256 of files by their path in the data folder, which is also their path in a backup. */
type FileHashes = Readonly<Record<string, string>>

/** Lists the media files in a data folder or backup, without those that are still being written. */
export function listMedia(folder: string): string[] {
  const media = path.join(folder, 'media')
  if (!existsSync(media)) return []
  const kinds = readdirSync(media, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== LOST_AND_FOUND,
  )
  return kinds
    .flatMap(({ name }) => readdirSync(path.join(media, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.part'))
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
}

/** Folders of the data folder in which operators describe ComfyUI graphs, models, providers and templates. */
const OWN_FOLDERS = ['comfyui', 'models', 'providers', 'templates']
/** Descriptions, and the clips of templates. */
const OWN_FILE = /\.(json|mp4)$/

/** Lists the operator's own graphs, models, providers and templates in a data folder. They contain no credentials. */
export function listOwnFiles(folder: string): string[] {
  return OWN_FOLDERS.filter((name) => existsSync(path.join(folder, name))).flatMap((name) =>
    readdirSync(path.join(folder, name))
      .filter((file) => OWN_FILE.test(file))
      .map((file) => path.join(name, file)),
  )
}

/** Lists the generated secrets in a data folder, whether they exist or not. */
export function listSecrets(folder: string): string[] {
  const keys = path.join(folder, OPERATOR_KEYS)
  const names = existsSync(keys) ? readdirSync(keys) : []
  return [...SECRETS, ...names.map((name) => path.join(OPERATOR_KEYS, name))]
}

/**
 * Copies those files that exist, and overwrites none. Returns the hash of each copy.
 * @param copy `rename` moves the files instead
 */
export async function copyFiles(
  from: string,
  to: string,
  names: readonly string[],
  copy: (from: string, to: string) => Promise<void> = (file, target) => copyFile(file, target, constants.COPYFILE_EXCL),
): Promise<FileHashes> {
  const hashes: Record<string, string> = {}
  for (const name of names) {
    const target = path.join(to, name)
    await mkdir(path.dirname(target), { recursive: true })
    try {
      await copy(path.join(from, name), target)
      hashes[name] = await hashFile(target)
    } catch (error) {
      // An erasure may remove a file at any time.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return hashes
}

/** @throws RecoveryError a folder has one of these files already */
export function refuseExisting(folder: string, names: readonly string[]): void {
  const first = names.find((name) => existsSync(path.join(folder, name)))
  if (first)
    throw new RecoveryError(
      `${folder} is not empty: it has ${first}. Restore into a new folder, or empty it if an interrupted restore left this.`,
    )
}

/** Returns the files that are missing from a folder or differ from their hash. */
export async function findDamaged(folder: string, hashes: FileHashes): Promise<string[]> {
  const damaged: string[] = []
  for (const [name, hash] of Object.entries(hashes)) {
    const found = await hashFile(path.join(folder, name)).catch(() => undefined)
    if (found !== hash) damaged.push(name)
  }
  return damaged
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
