import { createHmac, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { inParallel } from '../kernel/inParallel.ts'
import type { ListedStore } from '../kernel/media/mediaStore.port.ts'
import { encryptFile, measureFile } from './ageFiles.ts'
import {
  type Catalogue,
  type CopiedFile,
  type CopyAt,
  canHold,
  listCopies,
  objectKey,
  readCatalogue,
  writeCatalogue,
} from './catalogue.ts'
import type { DataPlaces, Secrets } from './installation.ts'
import { backUp } from './recovery/backUp.ts'
import { listMedia } from './recovery/copyFiles.ts'
import { MANIFEST } from './recovery/manifest.ts'
import type { BackupKeys } from './recoveryPhrase.ts'

/** Uploads at the same time. */
const UPLOADS = 4

interface CopyOptions {
  readonly config: DataPlaces & Secrets
  readonly place: ListedStore
  readonly keys: BackupKeys
  readonly temporaryDir: string
  /** Epoch milliseconds. */
  readonly now: number
  /** Ids of the accounts that were erased until now. */
  readonly erased: Iterable<string>
  /** Aborts the copy; it is then not listed, and its objects are used by the next one. */
  readonly signal: AbortSignal
}

export interface CopyTaken {
  readonly at: CopyAt
  readonly files: number
  /** Size of the installation, before encryption. */
  readonly bytes: number
  /** Number of objects that the place did not have. */
  readonly added: number
}

/**
 * Copies the installation to `place`: tables, media, secrets, and the list of erased accounts. Content that an earlier
 * copy with the same keys has stored is not stored again.
 */
export async function takeCopy({
  config,
  place,
  keys,
  temporaryDir,
  now,
  erased,
  signal,
}: CopyOptions): Promise<CopyTaken> {
  const stage = mkdtempSync(path.join(temporaryDir, 'copy-'))
  try {
    const backup = path.join(stage, 'backup')
    const manifest = { ...(await backUp(config, backup, true, false)), takenAt: new Date(now).toISOString() }
    rmSync(path.join(backup, MANIFEST))
    writeSecrets(config, backup)
    const at: CopyAt = { folder: keys.folder, takenAt: now }
    const stored = new Map<string, number>()
    for await (const { key, size } of place.list(`${keys.folder}/objects/`)) stored.set(key, size)
    const before = await latestFiles(place, keys, temporaryDir)

    const files: Record<string, CopiedFile> = {}
    let added = 0
    const store = async (name: string, file: string, known?: CopiedFile) => {
      const found = await stat(file)
      const isKnown = known?.bytes === found.size && known.changedAt === found.mtimeMs
      const content = isKnown ? known : { ...(await measureFile(file)), changedAt: found.mtimeMs }
      const object = createHmac('sha256', keys.naming).update(content.sha256).digest('hex')
      const key = objectKey(keys.folder, object)
      if (!canHold(stored.get(key), content)) {
        const sealed = path.join(stage, randomUUID())
        await encryptFile(file, sealed, keys.recipients)
        await place.put(key, sealed)
        stored.set(key, Number.POSITIVE_INFINITY)
        added++
      }
      files[name] = { ...content, object }
    }
    for (const name of await filesIn(backup)) await store(name, path.join(backup, name))
    const media = config.storage ? [] : listMedia(config.dataDir)
    await inParallel(media, UPLOADS, async (name) => {
      signal.throwIfAborted()
      const file = path.join(config.dataDir, name)
      await store(name, file, before[name]).catch((error: NodeJS.ErrnoException) => {
        // An erasure may remove a file at any time.
        if (error.code !== 'ENOENT' || existsSync(file)) throw error
      })
    })
    signal.throwIfAborted()
    const { files: _, ...about } = manifest
    const catalogue: Catalogue = {
      format: 1,
      manifest: { ...about, media: config.storage ? 'bucket' : sizeOfMedia(files) },
      files,
      erased: [...erased],
    }
    await writeCatalogue(place, at, catalogue, keys.recipients, stage)
    const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0)
    return { at, files: Object.keys(files).length, bytes, added }
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** Writes the secrets that the data folder may lack, because the environment has them. */
function writeSecrets({ secrets, operators, auditKeyFile }: Secrets, folder: string): void {
  const values = { SESSION_SECRET: secrets.session, ENCRYPTION_KEY: secrets.encryption }
  const write = (name: string, content: string) => writeFileSync(path.join(folder, name), content, { mode: 0o600 })
  write('secrets.json', `${JSON.stringify(values, null, 2)}\n`)
  write('operator-password', `${operators.password}\n`)
  if (auditKeyFile) write('audit-key.pem', readFileSync(auditKeyFile, 'utf8'))
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
}

/** Returns the files of the newest copy with these keys; none if there is no such copy or it cannot be read. */
async function latestFiles(place: ListedStore, keys: BackupKeys, temporaryDir: string): Promise<Catalogue['files']> {
  const latest = (await listCopies(place)).find(({ folder }) => folder === keys.folder)
  if (!latest) return {}
  return readCatalogue(place, latest, keys.identity, temporaryDir).then(
    ({ files }) => files,
    () => ({}),
  )
}

function sizeOfMedia(files: Catalogue['files']) {
  const media = Object.entries(files).filter(([name]) => name.startsWith(`media${path.sep}`))
  return { files: media.length, bytes: media.reduce((sum, [, { bytes }]) => sum + bytes, 0) }
}
