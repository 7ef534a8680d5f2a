import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod/mini'

/** A saved table. The hash covers the output of COPY before compression. */
const SavedTable = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  /** For a partition, its parent table and bound: partitions are created at run time, not by migrations. */
  part: z.optional(z.object({ of: z.string(), bound: z.string() })),
  rows: z.number(),
  sha256: z.string(),
})
export type SavedTable = z.infer<typeof SavedTable>

/** A path that does not leave its folder. */
export const relativePath = z
  .string()
  .check(z.refine((name) => !/^[/\\]/.test(name) && !name.split(/[/\\]/).includes('..')))

export const Manifest = z.object({
  format: z.literal(1),
  takenAt: z.string(),
  /** Names of the applied migrations. */
  migrations: z.array(z.string()),
  tables: z.array(SavedTable),
  /** `here`: the event log is one of the tables. An EventStoreDB cluster needs its own backup. */
  log: z.enum(['here', 'EventStoreDB']),
  /** SHA-256 of media, the operator's own files, and secrets by path. Tables have hashes of their own. Missing in nightly copies, whose catalogue has them. */
  files: z.optional(z.record(relativePath, z.string())),
  /** Media files in the backup, or `bucket` if they are stored in a bucket. */
  media: z.union([z.object({ files: z.number(), bytes: z.number() }), z.literal('bucket')]),
  /** Whether the backup contains the generated secrets. */
  secrets: z.boolean(),
})
/** Content of a backup's `manifest.json`. It is written last, so a folder without it is an unfinished backup. */
export type Manifest = z.infer<typeof Manifest>

export const MANIFEST = 'manifest.json'
export const tableFile = (folder: string, name: string): string => path.join(folder, 'tables', `${name}.copy.gz`)
/** Files of the data folder that hold generated secrets. Those that exist are in a backup with secrets. */
export const SECRETS = ['secrets.json', 'operator-password', 'audit-key.pem']

/** Thrown if a backup or its target cannot be used. */
export class RecoveryError extends Error {
  override name = 'RecoveryError'
}

/** Reads a backup's manifest. @throws RecoveryError the folder holds no complete backup of this format */
export function readManifest(folder: string): Manifest {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path.join(folder, MANIFEST), 'utf8'))
  } catch {
    throw new RecoveryError(`${folder} holds no backup, or an unfinished one: ${MANIFEST} is missing or incomplete`)
  }
  const parsed = z.safeParse(Manifest, content)
  if (!parsed.success) throw new RecoveryError(`${folder}: ${MANIFEST} has a format that this version cannot read`)
  return parsed.data
}
