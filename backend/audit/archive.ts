import { createHash, type KeyObject, sign, verify as verifySignature } from 'node:crypto'
import { createReadStream, existsSync, rmSync } from 'node:fs'
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

const INTERRUPTS = ['SIGINT', 'SIGTERM'] as const
/** Bounds the text that is built at once. */
const HEADS_AT_ONCE = 10_000

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/**
 * Verifies the ledger and writes it to a signed archive in the same pass; see docs/ledger-archive.md. The file appears
 * once it is complete; SIGINT and SIGTERM leave no part of it.
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
  const spooled = ['events', 'heads'].map((name) => `${out}.${name}`)
  const leftovers = [...spooled, partial]
  const interrupt = (signal: NodeJS.Signals) => {
    for (const leftover of leftovers) rmSync(leftover, { force: true })
    // Without a listener, the signal ends the program.
    process.kill(process.pid, signal)
  }
  for (const signal of INTERRUPTS) process.once(signal, interrupt)
  const [events, heads] = (await Promise.all(spooled.map(openSpool))) as [Spool, Spool]
  try {
    const found = await verify(store, { ...evidence, onPage: events.append })
    for (let from = 0; from < found.heads.length; from += HEADS_AT_ONCE)
      await heads.append(found.heads.slice(from, from + HEADS_AT_ONCE).map(canonicalJson))
    const files = { 'events.jsonl': events.written(), 'heads.jsonl': heads.written() }
    const manifest: Manifest = { format: FORMAT, createdAt: at, files, deviations: found.deviationCount }
    const text = Buffer.from(`${canonicalJson(manifest)}\n`)
    const pem = publicPem(key)
    await writeTar(archive, [
      ['events.jsonl', events.read(), files['events.jsonl'].bytes],
      ['heads.jsonl', heads.read(), files['heads.jsonl'].bytes],
      ['manifest.json', text],
      ['manifest.sig', sign(null, text, key)],
      ['public-key.pem', Buffer.from(pem)],
    ])
    await rename(partial, out)
    return { found, fingerprint: fingerprint(pem) }
  } finally {
    for (const file of [events, heads, archive]) await file.close()
    for (const leftover of leftovers) await rm(leftover, { force: true })
    for (const signal of INTERRUPTS) process.off(signal, interrupt)
  }
}

type Spool = Awaited<ReturnType<typeof openSpool>>

/** Opens a file for the lines of a tar entry, which begins with its size. All lines may be too many for one string. */
async function openSpool(path: string) {
  const file = await open(path, 'w+')
  const hash = createHash('sha256')
  let [lines, bytes] = [0, 0]
  return {
    async append(texts: readonly string[]) {
      const page = Buffer.from(texts.map((text) => `${text}\n`).join(''))
      hash.update(page)
      lines += texts.length
      bytes += page.length
      await file.appendFile(page)
    },
    /** Returns what the manifest says of the entry, after the last line. */
    written: () => ({ lines, bytes, sha256: hash.digest('hex') }),
    read: () => file.createReadStream({ start: 0 }),
    close: () => file.close(),
  }
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
    return {
      by: `The archive of ${createdAt}`,
      heads: new Map(headsIn(heads)),
      fingerprint: fingerprint(String(key)),
    }
  } catch (error) {
    throw new UsageError(`--heads: ${file} cannot be used: ${(error as Error).message}.`)
  }
}

/** Yields the head of each line, by its stream. */
function* headsIn(lines: Buffer): Generator<[string, Head]> {
  for (let from = 0, to = lines.indexOf('\n'); to >= 0; from = to + 1, to = lines.indexOf('\n', from)) {
    const head = JSON.parse(lines.toString('utf8', from, to)) as Head
    yield [head.stream, head]
  }
}
