import type pg from 'pg'
import type { Clock } from '../kernel/time.ts'
import { backupFault, readBackupState } from './backupState.ts'

interface BoardContext {
  readonly pool: pg.Pool
  readonly configured: boolean
  readonly clock: Clock
  /** Removes secrets from an error text. */
  readonly redact: (text: string) => string
}

/** Returns what the operator's board shows of the nightly backup. */
export async function backupOnBoard({ configured, pool, clock, redact }: BoardContext) {
  const state = await readBackupState(pool)
  const { phrase, proven, copied, failure } = state
  return {
    configured,
    has_phrase: phrase !== null,
    proven_at: proven?.at.toISOString() ?? null,
    copy: copied && { taken_at: copied.at.toISOString(), files: copied.files, bytes: copied.bytes },
    failure: failure && { at: failure.at.toISOString(), reason: redact(failure.reason) },
    overdue: configured && backupFault(state, clock()) !== undefined,
  }
}
