import type pg from 'pg'
import { backoff, pause } from '../kernel/backoff.ts'
import { localDayOf } from '../kernel/days.ts'
import type { ListedStore } from '../kernel/media/mediaStore.port.ts'
import { leased, type Running } from '../kernel/postgres/leased.ts'
import type { Leases } from '../kernel/postgres/leases.ts'
import type { Clock } from '../kernel/time.ts'
import { type BackupState, readBackupState, saveCopied, saveFailure, saveFolder, saveProven } from './backupState.ts'
import { type CopyAt, catalogueKey } from './catalogue.ts'
import type { DataPlaces, Secrets } from './installation.ts'
import { backupKeys } from './recoveryPhrase.ts'
import { removeExpired } from './removeExpired.ts'
import { refuseLostPlace, removePartials } from './removePartials.ts'
import { takeCopy } from './takeCopy.ts'

/** Hour at which a copy becomes due, in the operator's time zone. */
const HOUR_MS = 3 * 3_600_000

/** Time before the first look, between looks, and between attempts, ms. */
const TIMING = { first: 30_000, every: 60_000, retry: { initial: 15 * 60_000, max: 4 * 3_600_000 } }

export interface BackupContext {
  readonly config: DataPlaces & Secrets & { readonly operators: { readonly timeZone: string } }
  readonly pool: pg.Pool
  readonly clock: Clock
  readonly leases: Leases
  readonly temporaryDir: string
  readonly log: Record<'info' | 'warn' | 'error', (data: object, message: string) => void>
  /** Takes the copies. */
  readonly place: ListedStore
  /** Folder of the copies; undefined if they are in a bucket. */
  readonly folder: string | undefined
  readonly keepDays: number
  /** Returns the ids of the erased accounts that are listed outside the database. */
  readErased(): Promise<Iterable<string>>
  /** Proves that a copy can be restored. @throws RecoveryError naming the first fault; the signal's reason */
  prove(at: CopyAt, identity: string, signal: AbortSignal): Promise<void>
}

/** Takes a copy each night, in one process at a time, and proves that it can be restored. */
export function startBackups(context: BackupContext, { first, every, retry } = TIMING): Running {
  const { leases, log, pool } = context
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
        if (state.phrase && !isCurrent(context, state, state.proven?.copy)) await backUpAndProve(context, state, signal)
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

/** Returns whether a copy was taken this night, and since the recovery phrase was made. */
function isCurrent({ config, clock }: Pick<BackupContext, 'config' | 'clock'>, { phrase }: BackupState, taken?: Date) {
  const dayOf = localDayOf(config.operators.timeZone)
  const nightOf = (at: number) => dayOf(at - HOUR_MS)
  return taken && phrase && taken >= phrase.at && nightOf(taken.getTime()) === nightOf(clock())
}

/**
 * Takes a copy, proves it, and removes the copies that are not kept any longer, even if the proof fails. After a failed
 * proof, proves the same copy again until the next night: a cause that lasts must not fill the place with copies.
 */
export async function backUpAndProve(
  context: Omit<BackupContext, 'leases'>,
  state: BackupState,
  signal: AbortSignal,
): Promise<void> {
  const { config, pool, clock, temporaryDir, log, place, folder, keepDays } = context
  if (!state.phrase) return
  const keys = await backupKeys(state.phrase.recipient, config.secrets.encryption)
  if (folder !== undefined) {
    if (state.proven) refuseLostPlace(folder, state.folders, keys.folder)
    // First, because they may be what fills the disk.
    await removePartials(folder, state.folders, clock())
  }
  await saveFolder(pool, keys.folder)
  const proof = prove((await findUnproven()) ?? (await copy()))
  await proof.catch(() => {})
  // Why a proof failed matters more than why nothing was removed.
  try {
    await expire()
  } finally {
    await proof
  }

  /** Returns this night's copy if it was not proven. */
  async function findUnproven(): Promise<CopyAt | undefined> {
    const taken = state.copied?.at
    if (!taken || taken.getTime() === state.proven?.copy.getTime() || !isCurrent(context, state, taken))
      return undefined
    const at = { folder: keys.folder, takenAt: taken.getTime() }
    return (await place.size(catalogueKey(at))) === undefined ? undefined : at
  }

  async function copy(): Promise<CopyAt> {
    const start = performance.now()
    const { at, files, bytes, added } = await takeCopy({
      ...{ config, place, keys, temporaryDir, signal },
      now: clock(),
      erased: await context.readErased(),
    })
    await saveCopied(pool, { takenAt: at.takenAt, files, bytes })
    log.info({ files, bytes, added, ms: Math.round(performance.now() - start) }, 'backup taken')
    return at
  }

  async function prove(at: CopyAt): Promise<void> {
    const start = performance.now()
    await context.prove(at, keys.identity, signal)
    signal.throwIfAborted()
    await saveProven(pool, at.takenAt)
    log.info({ ms: Math.round(performance.now() - start) }, 'backup proven restorable')
  }

  async function expire(): Promise<void> {
    const { folders, proven } = await readBackupState(pool)
    const removed = await removeExpired({
      place,
      keys,
      former: folders.filter((folder) => folder !== keys.folder),
      keepDays,
      proven: proven?.copy.getTime(),
      now: clock(),
      temporaryDir,
      signal,
    })
    if (removed > 0) log.info({ files: removed }, 'expired backups removed')
  }
}
