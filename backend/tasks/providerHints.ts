import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { CHANGE_CHANNEL, type Changes } from '../kernel/postgres/changes.ts'

/** Told like a changed read model: the provider has said something of these tasks. What it said is asked, not believed. */
export const PROVIDER_HINTS = 'providerHints'

export async function tellHint(pool: pg.Pool, taskId: string): Promise<void> {
  await pool.query('select pg_notify($1, $2)', [
    CHANGE_CHANNEL,
    JSON.stringify({ name: PROVIDER_HINTS, ids: [taskId] }),
  ])
}

/** Waits for so many milliseconds, or until the provider has told something of the task, in whichever process. */
export async function hinted(changes: Changes, taskId: string, ms: number, signal: AbortSignal): Promise<void> {
  const told = new AbortController()
  const unsubscribe = changes.subscribe(({ name, ids }) => {
    if (name === PROVIDER_HINTS && ids.includes(taskId)) told.abort()
  })
  try {
    await delay(ms, undefined, { signal: AbortSignal.any([signal, told.signal]) })
  } catch (error) {
    if (!told.signal.aborted) throw error
  } finally {
    unsubscribe()
  }
}
