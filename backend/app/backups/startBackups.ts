import { backoff, pause } from '../../kernel/backoff.ts'
import { localDayOf } from '../../kernel/days.ts'
import type { Context } from '../context.ts'
import { leased, type Running } from '../leases.ts'
import { type BackupState, readBackupState, saveCopied, saveFailure, saveFolder, saveProven } from './backupState.ts'
import { openPlace, refuseLostPlace } from './openPlace.ts'
import { proveInChild } from './proveInChild.ts'
import { backupKeys } from './recoveryPhrase.ts'
import { removeExpired } from './removeExpired.ts'
import { removePartials } from './removePartials.ts'
import { type BackedUp, takeCopy } from './takeCopy.ts'

/** Hour at which a copy becomes due, in the operator's time zone. */
const HOUR_MS = 3 * 3_600_000

/** Time before the first look, between looks, and between attempts, ms. */
const TIMING = { first: 30_000, every: 60_000, retry: { initial: 15 * 60_000, max: 4 * 3_600_000 } }

export type BackupContext = Pick<Context, 'pool' | 'clock' | 'leases' | 'temporaryDir'> & {
  readonly config: BackedUp & Pick<Context['config'], 'backup'>
  readonly log: Pick<Context['log'], 'info' | 'warn' | 'error'>
}

/** Takes a copy each night, in one process at a time, and proves that it can be restored. */
export function startBackups(context: BackupContext, { first, every, retry } = TIMING): Running {
  const { leases, log, config, clock, pool } = context
  const dayOf = localDayOf(config.operators.timeZone)
  const nightOf = (at: number) => dayOf(at - HOUR_MS)
  const isDue = ({ proven, phrase }: BackupState) =>
    phrase && (!proven || proven.copy < phrase.at || nightOf(proven.copy.getTime()) !== nightOf(clock()))
  const work = async (signal: AbortSignal) => {
    let told = false
    let failures = 0
    for (let wait = first; ; ) {
      await pause(wait, signal)
      if (signal.aborted) return
      wait = every
      try {
        const state = await readBackupState(pool)
        if (!state.phrase && !told) log.warn({ run: 'npm run recovery-phrase' }, 'backups need a recovery phrase')
        told = state.phrase === null
        if (isDue(state)) await backUpAndProve(context, state, signal)
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        log.error({ err: error }, 'backup failed, retrying')
        await saveFailure(pool, (error as Error).message).catch(() => {})
        wait = backoff(failures++, retry)
      }
    }
  }
  return leased(leases, 'backup', () => {
    const halt = new AbortController()
    // Work that cannot be interrupted ends by itself: nothing that it does later completes a copy.
    const stopped = new Promise<void>((resolve) => halt.signal.addEventListener('abort', () => resolve()))
    const done = Promise.race([work(halt.signal), stopped])
    return {
      started: Promise.resolve(),
      async stop() {
        halt.abort()
        await done
      },
    }
  })
}

/** Takes a copy, proves it, and removes the copies that are not kept any longer. */
export async function backUpAndProve(
  { config, pool, clock, temporaryDir, log }: Omit<BackupContext, 'leases'>,
  state: BackupState,
  signal: AbortSignal,
): Promise<void> {
  if (!config.backup || !state.phrase) return
  const place = openPlace(config.backup.to, temporaryDir)
  const keys = await backupKeys(state.phrase.recipient, config.secrets.encryption)
  if (state.proven) refuseLostPlace(config.backup.to, state.folders, keys.folder)
  // First, because they may be what fills the disk.
  await removePartials(config.backup.to, state.folders, clock())
  await saveFolder(pool, keys.folder)
  const start = performance.now()
  const taken = await takeCopy({ config, place, keys, temporaryDir, now: clock(), signal })
  const { at, files, bytes, added } = taken
  await saveCopied(pool, { takenAt: at.takenAt, files, bytes })
  log.info({ files, bytes, added, ms: Math.round(performance.now() - start) }, 'backup taken')
  const { database, dataDir, eventStore, backup } = config
  const { identity } = keys
  await proveInChild({ config: { database, dataDir, eventStore }, to: backup.to, at, identity, temporaryDir }, signal)
  signal.throwIfAborted()
  await saveProven(pool, at.takenAt)
  log.info({ ms: Math.round(performance.now() - start) }, 'backup proven restorable')
  const { folders } = await readBackupState(pool)
  const removed = await removeExpired({
    place,
    keys,
    former: folders.filter((folder) => folder !== keys.folder),
    keepDays: config.backup.keepDays,
    now: clock(),
    temporaryDir,
    signal,
  })
  if (removed > 0) log.info({ files: removed }, 'expired backups removed')
}
