import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import * as z from 'zod/mini'
import type { ListedStore } from '../kernel/media/mediaStore.port.ts'
import { decrypt, encryptFile } from './ageFiles.ts'
import { Manifest, RecoveryError, relativePath } from './recovery/manifest.ts'
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

const CopiedFiles = z.record(relativePath, CopiedFile)

/** Content of a copy: what the files of `npm run backup` are, and which objects hold them. */
const Catalogue = z.object({
  format: z.literal(1),
  /** Of the backup, without its files. */
  manifest: Manifest,
  /** Files by their path in the backup. */
  files: CopiedFiles,
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

const FILES = '"files":{'
/** Lines that are compressed together. */
const LINES = 1_000

/** Yields a catalogue as JSON with each file on a line of its own: the whole can be longer than a string may be. */
function* toLines({ files, ...about }: Catalogue): Generator<string> {
  yield `${JSON.stringify(about).slice(0, -1)},${FILES}`
  const names = Object.keys(files)
  const lineOf = (name: string) => `\n${JSON.stringify({ [name]: files[name] }).slice(1, -1)}`
  for (let first = 0; first < names.length; first += LINES)
    yield (first === 0 ? '' : ',') +
      names
        .slice(first, first + LINES)
        .map(lineOf)
        .join(',')
  yield '\n}}\n'
}

/** Parses the lines of a catalogue. */
async function fromLines(lines: AsyncIterable<string>): Promise<Catalogue> {
  let catalogue: Catalogue | undefined
  for await (const line of lines)
    if (!catalogue) catalogue = Catalogue.parse(JSON.parse(`${line}}}`))
    else if (line !== '}}') Object.assign(catalogue.files, CopiedFiles.parse(JSON.parse(`{${line.replace(/,$/, '')}}`)))
  if (!catalogue) throw new Error('it is empty')
  return catalogue
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
    await pipeline(toLines(catalogue), createGzip(), createWriteStream(plain))
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
    const catalogue = await fromLines(createInterface({ input: createReadStream(plain).compose(createGunzip()) }))
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
