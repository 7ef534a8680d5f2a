import type { Clock } from '../../kernel/time.ts'
import type { Context } from '../context.ts'
import { backupFault, readBackupState } from './backupState.ts'

interface BoardContext extends Pick<Context, 'pool'> {
  readonly config: Pick<Context['config'], 'backup'>
  readonly clock: Clock
  /** Removes secrets from an error text. */
  readonly redact: (text: string) => string
}

/** Returns what the operator's board shows of the nightly backup. */
export async function backupOnBoard({ config, pool, clock, redact }: BoardContext) {
  const state = await readBackupState(pool)
  const { phrase, proven, copied, failure } = state
  const configured = config.backup !== undefined
  return {
    configured,
    has_phrase: phrase !== null,
    proven_at: proven?.at.toISOString() ?? null,
    copy: copied && { taken_at: copied.at.toISOString(), files: copied.files, bytes: copied.bytes },
    failure: failure && { at: failure.at.toISOString(), reason: redact(failure.reason) },
    overdue: configured && backupFault(state, clock()) !== undefined,
  }
}
