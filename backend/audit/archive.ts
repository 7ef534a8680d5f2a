import { createHash, type KeyObject, sign, verify as verifySignature } from 'node:crypto'
import type { EventStore } from '../kernel/eventsourcing/eventStore.port.ts'
import { canonicalJson } from '../kernel/eventsourcing/pure/eventHash.ts'
import { UsageError } from './command.ts'
import type { Head, RememberedHeads } from './hashChain.ts'
import { fingerprint, publicPem } from './signingKey.ts'
import { readTar, TarWriter } from './tarFile.ts'
import { type Evidence, type Verified, verify } from './verify.ts'

const FORMAT = 'kinora-ledger-1'

export interface Manifest {
  readonly format: typeof FORMAT
  readonly createdAt: string
  /** Lines, bytes and SHA-256 of each file. */
  readonly files: Readonly<Record<string, { readonly lines: number; readonly bytes: number; readonly sha256: string }>>
  /** What the verification found as the archive was written. */
  readonly deviations: number
}

const lines = (values: readonly object[]) => values.map((value) => `${canonicalJson(value)}\n`).join('')

/**
 * Verifies the ledger and writes it, in the same pass, into a signed archive; docs/ledger-archive.md describes it.
 * @throws UsageError the file is there already
 */
export async function writeArchive(
  store: EventStore,
  evidence: Evidence & { readonly out: string; readonly key: KeyObject; readonly at: string },
): Promise<{ found: Verified; fingerprint: string }> {
  const { out, key, at } = evidence
  const tar = await TarWriter.create(out).catch((error) => {
    throw new UsageError(`--out: ${(error as Error).message}`)
  })
  const hash = createHash('sha256')
  const events = { lines: 0, bytes: 0 }
  await tar.begin('events.jsonl')
  const found = await verify(store, {
    ...evidence,
    onPage: async (texts) => {
      const page = texts.map((text) => `${text}\n`).join('')
      hash.update(page)
      events.lines += texts.length
      events.bytes += Buffer.byteLength(page)
      await tar.grow(page)
    },
  })
  await tar.end()
  const heads = lines(found.heads)
  const described = { lines: found.heads.length, bytes: Buffer.byteLength(heads), sha256: sha256(heads) }
  const manifest: Manifest = {
    format: FORMAT,
    createdAt: at,
    files: { 'events.jsonl': { ...events, sha256: hash.digest('hex') }, 'heads.jsonl': described },
    deviations: found.deviationCount,
  }
  const text = `${canonicalJson(manifest)}\n`
  const pem = publicPem(key)
  await tar.add('heads.jsonl', heads)
  await tar.add('manifest.json', text)
  await tar.add('manifest.sig', sign(null, Buffer.from(text), key))
  await tar.add('public-key.pem', pem)
  await tar.close()
  return { found, fingerprint: fingerprint(pem) }
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/**
 * The heads of an earlier archive, whose signature is checked.
 * @throws UsageError it is no archive, or not as it was signed
 */
export async function earlierHeads(file: string): Promise<RememberedHeads & { readonly fingerprint: string }> {
  try {
    const names = ['heads.jsonl', 'manifest.json', 'manifest.sig', 'public-key.pem']
    const [heads, manifest, signature, key] = (await readTar(file, names)) as [Buffer, Buffer, Buffer, Buffer]
    if (!verifySignature(null, manifest, String(key), signature)) throw new Error('its signature is not right')
    const { files, createdAt } = JSON.parse(String(manifest)) as Manifest
    if (files['heads.jsonl']?.sha256 !== sha256(heads)) throw new Error('its heads are not those that were signed')
    const all = String(heads).trimEnd().split('\n').filter(Boolean)
    const known = all.map((line) => JSON.parse(line) as Head)
    return {
      by: `The archive of ${createdAt}`,
      heads: new Map(known.map((head) => [head.stream, head])),
      fingerprint: fingerprint(String(key)),
    }
  } catch (error) {
    throw new UsageError(`--heads: ${file} cannot be used: ${(error as Error).message}.`)
  }
}
