import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import * as z from 'zod/mini'
import type { ListedStore } from '../../kernel/media/mediaStore.port.ts'
import { Manifest, RecoveryError, relativePath } from '../../programs/recovery/manifest.ts'
import { decrypt, encryptFile } from './ageFiles.ts'
import type { Recipients } from './recoveryPhrase.ts'

const CopiedFile = z.object({
  /** Name of the object with the file's content. */
  object: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** Of the plaintext. */
  bytes: z.number(),
  sha256: z.string(),
  /** Time of the last change, epoch milliseconds. */
  changedAt: z.number(),
})
export type CopiedFile = z.infer<typeof CopiedFile>

/** Content of a copy: what the files of `npm run backup` are, and which objects hold them. */
const Catalogue = z.object({
  format: z.literal(1),
  /** Of the backup, without its files. */
  manifest: Manifest,
  /** Files by their path in the backup. */
  files: z.record(relativePath, CopiedFile),
  /** Ids of the accounts that were erased by then. */
  erased: z.array(z.string()),
})
export type Catalogue = z.infer<typeof Catalogue>

/** Where a copy is. Copies that are encrypted to the same keys share a folder and objects. */
export interface CopyAt {
  readonly folder: string
  /** Epoch milliseconds. */
  readonly takenAt: number
}

export const objectKey = (folder: string, object: string) => `${folder}/objects/${object}.age`
/** Returns whether an object of this size can hold a file: encryption makes every file larger. */
export const canHold = (size: number | undefined, { bytes }: Pick<CopiedFile, 'bytes'>) =>
  size !== undefined && size > bytes
export const catalogueKey = ({ folder, takenAt }: CopyAt) => `${folder}/copies/${nameOf(takenAt)}.age`
/** Returns the name of a copy: its time, in which colons are hyphens. */
export const nameOf = (takenAt: number) => new Date(takenAt).toISOString().replaceAll(':', '-')

const COPY = /^([0-9a-f]{16})\/copies\/(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.age$/

/** Lists the copies, newest first. */
export async function listCopies(place: ListedStore): Promise<CopyAt[]> {
  const copies: CopyAt[] = []
  for await (const { key } of place.list('')) {
    const [, folder, day, hour, minute, second] = COPY.exec(key) ?? []
    if (folder) copies.push({ folder, takenAt: Date.parse(`${day}${hour}:${minute}:${second}`) })
  }
  return copies.sort((a, b) => b.takenAt - a.takenAt)
}

/** Writes a copy's catalogue, which completes the copy. */
export async function writeCatalogue(
  place: ListedStore,
  at: CopyAt,
  catalogue: Catalogue,
  recipients: Recipients,
  temporaryDir: string,
): Promise<void> {
  const plain = path.join(temporaryDir, randomUUID())
  try {
    await writeFile(plain, await promisify(gzip)(JSON.stringify(catalogue)))
    await encryptFile(plain, `${plain}.age`, recipients)
    await place.put(catalogueKey(at), `${plain}.age`)
  } finally {
    for (const file of [plain, `${plain}.age`]) await rm(file, { force: true })
  }
}

/** Reads a copy's catalogue. @throws RecoveryError the key does not open it, or it is damaged */
export async function readCatalogue(
  place: ListedStore,
  at: CopyAt,
  identity: string,
  temporaryDir: string,
): Promise<Catalogue> {
  const plain = path.join(temporaryDir, randomUUID())
  try {
    await decrypt(place.read(catalogueKey(at)), () => createWriteStream(plain), identity)
    const catalogue = Catalogue.parse(JSON.parse(String(await promisify(gunzip)(await readFile(plain)))))
    if (Date.parse(catalogue.manifest.takenAt) !== at.takenAt) throw new Error('it is the copy of another time')
    return catalogue
  } catch (error) {
    const { message } = error as Error
    const reason = /no identity matched/.test(message)
      ? 'is not opened by this recovery phrase'
      : `is damaged (${message.split('\n')[0]})`
    throw new RecoveryError(`The copy ${nameOf(at.takenAt)} ${reason}.`, { cause: error })
  } finally {
    await rm(plain, { force: true })
  }
}
