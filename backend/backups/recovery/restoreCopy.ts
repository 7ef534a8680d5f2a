import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { LOST_AND_FOUND } from '../../kernel/media/filesBelow.ts'
import type { ListedStore } from '../../kernel/media/mediaStore.port.ts'
import { type CopyAt, listCopies, nameOf, readCatalogue } from '../catalogue.ts'
import { fetchCopy } from '../fetchCopy.ts'
import type { Product } from '../installation.ts'
import { refuseExisting } from './copyFiles.ts'
import { type Manifest, RecoveryError } from './manifest.ts'
import { restore } from './restore.ts'

interface CopyTarget {
  readonly place: ListedStore
  /** Secret key of the recovery phrase. */
  readonly identity: string
  /** Name of the copy; undefined: the newest. */
  readonly copy: string | undefined
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  /** Accounts to erase again, beside those that the newest copy lists. */
  readonly erased: ReadonlySet<string>
}

interface RestoredCopy {
  readonly manifest: Manifest
  readonly erasedAgain: number
  /** Number of accounts on the list of erasures. */
  readonly listed: number
}

/**
 * Restores an encrypted copy into an empty data folder: decrypts and verifies every file before it restores any. A copy
 * that is refused leaves the folder empty.
 * @throws RecoveryError there is no such copy, it is incomplete or damaged, or the target is not empty
 */
export async function restoreCopy(target: CopyTarget, product: Product): Promise<RestoredCopy> {
  const { place, identity, dataDir, databaseUrl } = target
  const found = existsSync(dataDir) ? readdirSync(dataDir) : []
  refuseExisting(
    dataDir,
    found.filter((name) => name !== LOST_AND_FOUND),
  )
  const made = mkdirSync(dataDir, { recursive: true })
  const stage = mkdtempSync(path.join(dataDir, '.restoring-'))
  try {
    const { at, copies } = await findCopy(place, target.copy)
    const catalogue = await readCatalogue(place, at, identity, stage)
    const later = await erasedSince(at, copies, { place, identity, stage })
    const erased = target.erased.union(new Set([...catalogue.erased, ...later]))
    const backup = path.join(stage, 'backup')
    mkdirSync(backup, { mode: 0o700 })
    await fetchCopy({ place, at, catalogue, identity }, backup)
    const into = { dataDir, databaseUrl, erased, moveFiles: true }
    const erasedAgain = await restore(backup, into, product, async (_, __, count) => count)
    return { manifest: catalogue.manifest, erasedAgain, listed: erased.size }
  } finally {
    rmSync(stage, { recursive: true, force: true, maxRetries: 10 })
    if (made && readdirSync(dataDir).length === 0) rmdirSync(dataDir)
  }
}

interface Reading extends Pick<CopyTarget, 'place' | 'identity'> {
  /** Folder for temporary files. */
  readonly stage: string
}

/**
 * Returns the erased accounts that the newest of the copies lists which is not older than `at`, belongs to the same
 * phrase, and can be read.
 * @param copies newest first
 */
export async function erasedSince(
  at: CopyAt,
  copies: readonly CopyAt[],
  { place, identity, stage }: Reading,
): Promise<readonly string[]> {
  for (const copy of copies) {
    if (copy.takenAt < at.takenAt) break
    const catalogue = await readCatalogue(place, copy, identity, stage).catch(() => undefined)
    if (catalogue) return catalogue.erased
  }
  return []
}

async function findCopy(
  place: ListedStore,
  name: string | undefined,
): Promise<{ at: CopyAt; copies: readonly CopyAt[] }> {
  const copies = await listCopies(place)
  const newest = copies[0]
  if (!newest) throw new RecoveryError('There is no backup.')
  const at = name === undefined ? newest : copies.find(({ takenAt }) => nameOf(takenAt) === name)
  if (at) return { at, copies }
  const names = copies.slice(0, 10).map(({ takenAt }) => nameOf(takenAt))
  throw new RecoveryError(`There is no copy ${name}. The newest are ${names.join(', ')}.`)
}
