/** The life of the workspace page: who may be here, the first loads, and keeping the list fresh. */
import { atom } from 'nanostores'
import type * as z from 'zod/mini'
import { status } from '#backend/http/contract.ts'
import { getTask, listModels, type ModelView } from '#backend/tasks/contract.ts'
import { localHref, translate } from '../i18n/client.ts'
import { call } from '../lib/api.ts'
import { loadCredits } from './credits.ts'
import { $connected, connectRealtime } from './realtime.ts'
import { startSession } from './session.ts'
import { isFinal } from './taskProgress.ts'
import { $inProgress, $tasks, loadQueue, loadTasks, refreshList, takeNews } from './tasks.ts'
import { showToast } from './toasts.ts'

/** `away`: the reader is being sent to the login page. */
export const $stage = atom<'loading' | 'open' | 'away'>('loading')
export const $models = atom<readonly z.infer<typeof ModelView>[] | null>(null)
export const $demo = atom(false)
export const $paused = atom(false)
/** Ticks so that "2 minutes ago" stays true. */
export const $now = atom(Date.now())

const POLL_MS = 5_000
const POLL_FOR_MS = 30 * 60_000
const FAILURES_ALLOWED = 2

/** How long to wait before the list is read again. */
export function refreshEvery(connected: boolean, inProgress: number): number {
  if (connected) return 60_000
  return inProgress > 0 ? 10_000 : 30_000
}

let failures = 0

/** Counts failures in a row and pauses when there are too many. */
function countRefresh(succeeded: boolean): void {
  failures = succeeded ? 0 : failures + 1
  if (failures <= FAILURES_ALLOWED) return
  $paused.set(true)
  showToast('warning', translate()('workspace.queue.paused'))
}

/** Reads the list because the user asked, and takes up the automatic refresh again. */
export async function refreshNow(): Promise<void> {
  const succeeded = await refreshList()
  if (!succeeded) {
    if ($tasks.get().status === 'loading') $tasks.set({ status: 'failed', tasks: [], total: 0 })
    return showToast('danger', translate()('workspace.task.refreshFailed'))
  }
  failures = 0
  $paused.set(false)
  connectRealtime()
}

function keepFresh(): void {
  let refreshedAt = Date.now()
  setInterval(() => {
    const now = Date.now()
    if ($paused.get() || now - refreshedAt < refreshEvery($connected.get(), $inProgress.get())) return
    refreshedAt = now
    void refreshList().then(countRefresh)
  }, 1_000)
  setInterval(() => $now.set(Date.now()), 30_000)
}

/** Without the socket, open tasks are asked for one by one. */
function pollOpenTasks(): void {
  const since = new Map<string, number>()
  setInterval(() => {
    if ($connected.get() || $paused.get()) return
    for (const task of $tasks.get().tasks) {
      if (isFinal(task)) continue
      if (!since.has(task.id)) since.set(task.id, Date.now())
      if (Date.now() - since.get(task.id)! > POLL_FOR_MS) continue
      void call(getTask, { params: { id: task.id } }).then(takeNews, () => {})
    }
  }, POLL_MS)
}

async function firstLoads(): Promise<void> {
  const loads = [loadTasks(), loadQueue(), call(listModels).then((models) => $models.set(models)), loadCredits()]
  const results = await Promise.allSettled(loads)
  if (results[0]?.status === 'rejected') $tasks.set({ status: 'failed', tasks: [], total: 0 })
  if (results.every((result) => result.status === 'rejected'))
    showToast('danger', translate()('workspace.queue.pageFailed'), { ms: 10_000 })
}

async function askStatus(): Promise<void> {
  $demo.set((await call(status)).demo_renderer)
}

let opened = false

/** Opens the workspace for a signed-in user, once per page. */
export async function openWorkspace(): Promise<void> {
  if (opened) return
  opened = true
  const session = await startSession()
  if (session.status !== 'in') {
    $stage.set('away')
    const here = location.pathname + location.search
    return location.replace(`${localHref('/auth/login')}?next=${encodeURIComponent(here)}`)
  }
  $stage.set('open')
  void askStatus().catch(() => {})
  await firstLoads()
  connectRealtime()
  keepFresh()
  pollOpenTasks()
}
