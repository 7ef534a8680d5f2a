import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { inParallel } from '../kernel/inParallel.ts'
import type { ListedStore } from '../kernel/media/mediaStore.port.ts'
import { decrypt } from './ageFiles.ts'
import { type Catalogue, type CopiedFile, type CopyAt, nameOf, objectKey } from './catalogue.ts'
import { MANIFEST, RecoveryError } from './recovery/manifest.ts'

/** Downloads at the same time. */
const DOWNLOADS = 8
/** Attempts to download a file, and the wait before the second one, ms. Each further wait is longer. */
const ATTEMPTS = 3
const WAIT_MS = 500

interface Fetched {
  readonly place: ListedStore
  readonly at: CopyAt
  readonly catalogue: Catalogue
  readonly identity: string
}

/**
 * Decrypts the files of a copy into a folder, as a backup of `npm run backup` has them, and verifies each one.
 * @param isWanted selects files; the manifest lists only those
 * @throws RecoveryError a file is missing or differs from what was copied
 */
export async function fetchCopy(from: Fetched, into: string, isWanted = (_name: string) => true): Promise<void> {
  const wanted = Object.entries(from.catalogue.files).filter(([name]) => isWanted(name))
  await inParallel(wanted, DOWNLOADS, async ([name, file]) => {
    const target = path.join(into, name)
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
    await fetchFile(from, name, file, () => createWriteStream(target, { mode: 0o600 }))
  })
  const plain = wanted.filter(([name]) => !name.startsWith(`tables${path.sep}`))
  const files = Object.fromEntries(plain.map(([name, { sha256 }]) => [name, sha256]))
  const manifest = { ...from.catalogue.manifest, files, secrets: true }
  await writeFile(path.join(into, MANIFEST), JSON.stringify(manifest), { mode: 0o600 })
}

/** Reads and verifies files of a copy without keeping them. @throws RecoveryError like {@link fetchCopy} */
export async function verifyFiles(from: Fetched, names: readonly string[]): Promise<void> {
  await inParallel(names, DOWNLOADS, (name) =>
    fetchFile(from, name, from.catalogue.files[name]!, () => new Writable({ write: (_, __, done) => done() })),
  )
}

async function fetchFile({ place, at, identity }: Fetched, name: string, file: CopiedFile, open: () => Writable) {
  for (let attempt = 1; ; attempt++) {
    const wrong = await decrypt(place.read(objectKey(at.folder, file.object)), open, identity).then(
      ({ sha256 }) => sha256 !== file.sha256 && 'it has another content',
      (error: Error) => error.message.split('\n')[0],
    )
    if (!wrong) return
    if (attempt === ATTEMPTS)
      throw new RecoveryError(`The copy ${nameOf(at.takenAt)} is incomplete or damaged: ${name} (${wrong}).`)
    await delay(attempt * WAIT_MS)
  }
}
