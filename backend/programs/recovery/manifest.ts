import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod/mini'

/** A table as it was saved. The hash is of what COPY says of its rows, before it was compressed. */
const SavedTable = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  /** A part of a table that is cut, and which: made while Kinora runs, not by a migration. */
  part: z.optional(z.object({ of: z.string(), bound: z.string() })),
  rows: z.number(),
  sha256: z.string(),
})
export type SavedTable = z.infer<typeof SavedTable>

const Manifest = z.object({
  format: z.literal(1),
  takenAt: z.string(),
  /** Names of the migrations that made the tables. */
  migrations: z.array(z.string()),
  tables: z.array(SavedTable),
  /** Where the event log is: in these tables, or in a cluster that is backed up by its own means. */
  log: z.enum(['here', 'EventStoreDB']),
  /** Where videos and pictures are: copied beside the tables, or in a bucket. */
  media: z.union([z.object({ files: z.number(), bytes: z.number() }), z.literal('bucket')]),
  /** Whether the kept secrets are in it, too. */
  secrets: z.boolean(),
})
/** What stands in `manifest.json` of a backup. It is written last: a folder without one is no backup. */
export type Manifest = z.infer<typeof Manifest>

export const MANIFEST = 'manifest.json'
export const tableFile = (folder: string, name: string): string => path.join(folder, 'tables', `${name}.copy.gz`)
export const mediaFolder = (folder: string): string => path.join(folder, 'media')
export const SECRETS = 'secrets.json'

/** Something is wrong with a backup, or with the place it is to go to; the message says what. */
export class RecoveryError extends Error {
  override name = 'RecoveryError'
}

/** @throws RecoveryError the folder holds no whole backup of this format */
export function readManifest(folder: string): Manifest {
  let text: string
  try {
    text = readFileSync(path.join(folder, MANIFEST), 'utf8')
  } catch {
    throw new RecoveryError(`${folder} holds no backup, or one that was not finished: ${MANIFEST} is missing`)
  }
  const parsed = z.safeParse(Manifest, JSON.parse(text))
  if (!parsed.success) throw new RecoveryError(`${folder}: ${MANIFEST} is not of a format that this version reads`)
  return parsed.data
}
