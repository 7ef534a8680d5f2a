import type pg from 'pg'

type Queries = Pick<pg.Pool, 'query'>

/** What is known about the copies of this installation. */
export interface BackupState {
  /** When copies were first possible. */
  readonly since: Date
  /** Public half of the recovery phrase, and when the phrase was made; null before the first one. */
  readonly phrase: { readonly recipient: string; readonly at: Date } | null
  /** Folders of copies that this installation has written, one for each pair of keys. */
  readonly folders: readonly string[]
  readonly copied: { readonly at: Date; readonly bytes: number; readonly files: number } | null
  /** When a copy was last restored and verified, and when that copy was taken. */
  readonly proven: { readonly at: Date; readonly copy: Date } | null
  /** Why the last attempt failed; null once one succeeds. */
  readonly failure: { readonly at: Date; readonly reason: string } | null
}

/** Characters of a reason that are stored: the board shows a sentence, not a report. */
const MAX_REASON = 500

/** Age of the last proof that is too old: a day, and two hours for daylight saving time and the duration of a copy, ms. */
const OVERDUE_MS = 26 * 3_600_000

/** Returns since when no copy was proven restorable. */
export const unprovenSince = ({ proven, phrase, since }: BackupState): Date => proven?.at ?? phrase?.at ?? since

/** Returns why the operator must look after the backup; undefined if a copy was proven restorable in time. */
export function backupFault(state: BackupState, now: number): string | undefined {
  if (!state.phrase) return 'BACKUP_TO is set, but there is no recovery phrase: run npm run -s recovery-phrase.'
  const since = unprovenSince(state)
  if (now - since.getTime() <= OVERDUE_MS) return undefined
  const reason = state.failure ? ` The last attempt failed: ${state.failure.reason}` : ''
  return `No backup was proven restorable since ${since.toISOString()}.${reason}`
}

export async function readBackupState(pool: Queries): Promise<BackupState> {
  const { rows } = await pool.query('select * from backup_state')
  const row = rows[0]
  return {
    since: row.since,
    phrase: row.phrase_recipient && { recipient: row.phrase_recipient, at: row.phrase_at },
    folders: row.folders,
    copied: row.copied_at && { at: row.copied_at, bytes: Number(row.copied_bytes), files: row.copied_files },
    proven: row.proven_at && { at: row.proven_at, copy: row.proven_copy },
    failure: row.failed_at && { at: row.failed_at, reason: row.failure },
  }
}

/** Stores the public half of a new recovery phrase. Returns false if the earlier one is not `replaced` any more. */
export async function savePhrase(pool: Queries, recipient: string, replaced: string | null): Promise<boolean> {
  const { rowCount } = await pool.query(
    'update backup_state set phrase_recipient = $1, phrase_at = now() where phrase_recipient is not distinct from $2',
    [recipient, replaced],
  )
  return rowCount === 1
}

/** Stores where copies with new keys are going to be, before the first object is. */
export async function saveFolder(pool: Queries, folder: string): Promise<void> {
  await pool.query('update backup_state set folders = folders || $1::text where not $1 = any (folders)', [folder])
}

export async function saveCopied(pool: Queries, copy: { takenAt: number; bytes: number; files: number }) {
  const row = [new Date(copy.takenAt), copy.bytes, copy.files]
  await pool.query('update backup_state set copied_at = $1, copied_bytes = $2, copied_files = $3', row)
}

export async function saveProven(pool: Queries, takenAt: number): Promise<void> {
  const sql = 'update backup_state set proven_at = now(), proven_copy = $1, failure = null, failed_at = null'
  await pool.query(sql, [new Date(takenAt)])
}

export async function saveFailure(pool: Queries, reason: string): Promise<void> {
  await pool.query('update backup_state set failure = $1, failed_at = now()', [reason.slice(0, MAX_REASON)])
}
