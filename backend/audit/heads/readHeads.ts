import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { UsageError } from '../../kernel/commandLine.ts'
import { readArchivedHeads } from '../archive.ts'
import type { Head, RememberedHeads } from '../hashChain.ts'
import { readTree, type SignedTree } from './ledgerHead.ts'

/** Evidence from outside the database. */
export interface GivenHeads {
  /** What was read, for the report. */
  readonly by: string
  readonly signed: readonly SignedTree[]
  /** The last known event of each stream. */
  readonly remembered: RememberedHeads
  /** Fingerprints of the keys. */
  readonly keys: readonly string[]
  /** Faults of the heads themselves, one sentence each. */
  readonly faults: readonly string[]
}

/** Files of one head, of checkpoints line by line, and saved mails. */
const TEXT = /\.(json|jsonl|txt|eml)$/
const isCheckpoint = (line: string) => line.startsWith('{"checkpoint":')

/**
 * Reads the heads or checkpoints in a folder, a file of them, or the heads of an archive.
 * @param signers fingerprints of the keys that may sign heads; any if empty
 * @throws UsageError the file or folder cannot be used
 */
export async function readHeads(file: string, signers: readonly string[]): Promise<GivenHeads> {
  const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (!isFolder && !TEXT.test(file)) {
    const { fingerprint, ...remembered } = await readArchivedHeads(file)
    const faults = foreignKeys([fingerprint], signers).map((key) => `${remembered.by} is signed with the key ${key}.`)
    return { by: remembered.by, signed: [], remembered, keys: [fingerprint], faults }
  }
  const names = isFolder ? readdirSync(file).filter((name) => TEXT.test(name)) : ['']
  const faults: string[] = []
  const read = new Map<string, SignedTree>()
  for (const name of names) {
    const text = readFileSync(path.join(file, name), 'utf8')
    // A saved mail has other lines too.
    const lines = name.endsWith('.json') || file.endsWith('.json') ? [text] : text.split('\n').filter(isCheckpoint)
    for (const line of lines)
      try {
        const head = readTree(line)
        read.set(head.hash, head)
      } catch (error) {
        faults.push(`The head ${path.join(file, name)} cannot be used: ${(error as Error).message}.`)
      }
  }
  const signed = [...read.values()].sort(byAge)
  if (signed.length + faults.length === 0) throw new UsageError(`--heads: ${file} contains no head.`)
  faults.push(...brokenLinks(signed))
  const keys = [...new Set(signed.map(({ signedWith }) => signedWith))]
  for (const key of foreignKeys(keys, signers)) faults.push(`Heads are signed with the key ${key}, which is not known.`)
  return { by: `The heads in ${file}`, signed, remembered: lastOf(signed, file), keys, faults }
}

/** Orders heads as they were written. A long part of the log has several heads of the same time. */
const byAge = (a: SignedTree, b: SignedTree) =>
  a.createdAt === b.createdAt ? a.size - b.size : a.createdAt < b.createdAt ? -1 : 1

const foreignKeys = (keys: readonly string[], signers: readonly string[]) =>
  signers.length === 0 ? [] : keys.filter((key) => !signers.includes(key))

/**
 * Finds heads, except the first, whose predecessor is not among them. Two may follow one if a write was interrupted. The
 * first is not the oldest if the clock was set back after it.
 */
function brokenLinks(heads: readonly SignedTree[]): string[] {
  const known = new Set(heads.map(({ hash }) => hash))
  return heads
    .filter(({ previous }) => previous !== undefined && (previous === null || !known.has(previous)))
    .slice(1)
    .map(({ createdAt }) => `The head of ${createdAt} follows one that is not there: a head was removed or replaced.`)
}

/** Returns the last head of each stream. */
function lastOf(signed: readonly SignedTree[], file: string): RememberedHeads {
  const heads = new Map<string, Head>()
  for (const { streams = [] } of signed) for (const head of streams) heads.set(head.stream, head)
  return { by: `A head in ${file}`, heads }
}
