import { createHash, type KeyObject, sign, verify as verifySignature } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { extract, pack } from 'tar-stream'
import { UsageError } from '../kernel/commandLine.ts'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { canonicalJson } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { Head, RememberedHeads } from './hashChain.ts'
import { fingerprint, publicPem } from './signingKey.ts'
import { type Evidence, type Verified, verify } from './verify.ts'

const FORMAT = 'kinora-ledger-1'

interface Manifest {
  readonly format: typeof FORMAT
  readonly createdAt: string
  /** Line count, size in bytes and SHA-256 of each file, by name. */
  readonly files: Readonly<Record<string, { readonly lines: number; readonly bytes: number; readonly sha256: string }>>
  /** Number of deviations found while the archive was written. */
  readonly deviations: number
}

interface Export extends Evidence {
  readonly out: string
  readonly key: KeyObject
  /** Creation time of the archive, ISO 8601. */
  readonly at: string
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const jsonLines = (values: readonly object[]) => values.map((value) => `${canonicalJson(value)}\n`).join('')

/**
 * Verifies the ledger and writes it to a signed archive in the same pass; see docs/ledger-archive.md. The file appears
 * once it is complete.
 * @throws UsageError the file exists or cannot be created
 */
export async function writeArchive(
  store: EventStore,
  { out, key, at, ...evidence }: Export,
): Promise<{ found: Verified; fingerprint: string }> {
  if (existsSync(out)) throw new UsageError(`--out: ${out} exists already`)
  const partial = `${out}.partial`
  const archive = await open(partial, 'w').catch((error) => {
    throw new UsageError(`--out: ${(error as Error).message}`)
  })
  // A tar entry begins with its size, which is unknown until all events are read.
  const spoolPath = `${out}.events`
  const spool = await open(spoolPath, 'w+')
  try {
    const { found, ...events } = await spoolEvents(store, evidence, spool)
    const heads = jsonLines(found.heads)
    const headsEntry = { lines: found.heads.length, bytes: Buffer.byteLength(heads), sha256: sha256(heads) }
    const files = { 'events.jsonl': events, 'heads.jsonl': headsEntry }
    const manifest: Manifest = { format: FORMAT, createdAt: at, files, deviations: found.deviationCount }
    const text = Buffer.from(`${canonicalJson(manifest)}\n`)
    const pem = publicPem(key)
    await writeTar(archive, [
      ['events.jsonl', spool.createReadStream({ start: 0 }), events.bytes],
      ['heads.jsonl', Buffer.from(heads)],
      ['manifest.json', text],
      ['manifest.sig', sign(null, text, key)],
      ['public-key.pem', Buffer.from(pem)],
    ])
    await rename(partial, out)
    return { found, fingerprint: fingerprint(pem) }
  } finally {
    await spool.close()
    await archive.close()
    for (const leftover of [spoolPath, partial]) await rm(leftover, { force: true })
  }
}

/** Verifies the ledger and writes each event to a file, one per line. */
async function spoolEvents(store: EventStore, evidence: Evidence, spool: FileHandle) {
  const hash = createHash('sha256')
  let [lines, bytes] = [0, 0]
  const found = await verify(store, {
    ...evidence,
    onPage: async (texts) => {
      const page = Buffer.from(texts.map((text) => `${text}\n`).join(''))
      hash.update(page)
      lines += texts.length
      bytes += page.length
      await spool.appendFile(page)
    },
  })
  return { found, lines, bytes, sha256: hash.digest('hex') }
}

type Entry = readonly [name: string, content: Buffer] | readonly [name: string, content: Readable, bytes: number]

/** Writes a tar file and flushes it to disk. Entries have no timestamps, so equal contents produce identical files. */
async function writeTar(file: FileHandle, entries: readonly Entry[]): Promise<void> {
  const tar = pack()
  const addEntries = async () => {
    for (const [name, content, size = (content as Buffer).length] of entries)
      await pipeline(
        content instanceof Readable ? content : Readable.from([content]),
        tar.entry({ name, size, mtime: new Date(0) }),
      )
    tar.finalize()
  }
  await Promise.all([pipeline(tar, file.createWriteStream({ flush: true })), addEntries()])
}

/** Reads the named entries of a tar file. @throws Error the file is not a tar file or lacks an entry */
async function readTar(file: string, names: readonly string[]): Promise<Buffer[]> {
  const found = new Map<string, Buffer>()
  const tar = extract()
  const collect = async () => {
    for await (const entry of tar)
      if (names.includes(entry.header.name)) found.set(entry.header.name, await buffer(entry))
      else entry.resume()
  }
  await Promise.all([pipeline(createReadStream(file), tar), collect()])
  return names.map((name) => {
    const content = found.get(name)
    if (!content) throw new Error(`it contains no ${name}`)
    return content
  })
}

/**
 * Reads the stream heads from an archive after checking its signature.
 * @throws UsageError the file is not an archive, or was changed after signing
 */
export async function readArchivedHeads(file: string): Promise<RememberedHeads & { readonly fingerprint: string }> {
  try {
    const names = ['heads.jsonl', 'manifest.json', 'manifest.sig', 'public-key.pem']
    const [heads, manifest, signature, key] = (await readTar(file, names)) as [Buffer, Buffer, Buffer, Buffer]
    if (!verifySignature(null, manifest, String(key), signature)) throw new Error('its signature is invalid')
    const { files, createdAt } = JSON.parse(String(manifest)) as Manifest
    if (files['heads.jsonl']?.sha256 !== sha256(heads)) throw new Error('its heads differ from those that were signed')
    const known = String(heads).split('\n').filter(Boolean)
    return {
      by: `The archive of ${createdAt}`,
      heads: new Map(known.map((line) => JSON.parse(line) as Head).map((head) => [head.stream, head])),
      fingerprint: fingerprint(String(key)),
    }
  } catch (error) {
    throw new UsageError(`--heads: ${file} cannot be used: ${(error as Error).message}.`)
  }
}
