/** Keeps tasks up to date: polls the list and, without a socket connection, each open task (spec sections 4 and 9). */
import { atom } from 'nanostores'
import { isFinal } from '../../api/taskProgress.ts'
import { translate } from '../../i18n/client.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { $now, isWaiting, loadQueue } from './queue.ts'
import { $connected, connectRealtime, reconnectRealtime } from './realtime.ts'
import { $inProgress, $tasks, refreshList, rereadTask } from './tasks.ts'

/** True while automatic refresh is paused after repeated failures. */
export const $paused = atom(false)

const POLL_MS = 5_000
const QUEUE_MS = 10_000
const POLL_FOR_MS = 30 * 60_000
const FAILURES_ALLOWED = 2

/** Returns the polling interval of the list, in milliseconds. */
function refreshEvery(connected: boolean, inProgress: number): number {
  if (connected) return 60_000
  return inProgress > 0 ? 10_000 : 30_000
}

let failures = 0
let refreshedAt = 0
let refreshing: Promise<boolean> | undefined

function refresh(): Promise<boolean> {
  refreshedAt = Date.now()
  refreshing ??= refreshList().finally(() => {
    refreshing = undefined
  })
  return refreshing
}

/** Counts consecutive failures and pauses automatic refresh after the third. Those of a browser that is offline do not count. */
function countRefresh(succeeded: boolean): void {
  failures = succeeded || !navigator.onLine ? 0 : failures + 1
  if (failures <= FAILURES_ALLOWED || $paused.get()) return
  $paused.set(true)
  showToast('warning', translate()('workspace.queue.paused'))
}

/** Reloads the list at the user's request. On success, resumes automatic refresh. */
export async function refreshNow(): Promise<void> {
  if (!(await refresh())) {
    if ($tasks.get().status === 'loading') $tasks.set({ status: 'failed', tasks: [], total: 0 })
    showToast('danger', translate()('workspace.task.refreshFailed'))
    return
  }
  failures = 0
  $paused.set(false)
  connectRealtime()
}

/** Polls the list at an interval that depends on the connection and the tasks in progress. */
export function refreshListPeriodically(): void {
  refreshedAt = Date.now()
  setInterval(() => {
    const due = Date.now() - refreshedAt >= refreshEvery($connected.get(), $inProgress.get())
    if (due && !refreshing && !$paused.get()) void refresh().then(countRefresh)
  }, 1_000)
  setInterval(() => $now.set(Date.now()), 5_000)
  setInterval(() => {
    if (isWaiting() && !$paused.get() && document.visibilityState === 'visible') void loadQueue().catch(() => {})
  }, QUEUE_MS)
  // Reload after a reconnect: the server does not resend missed updates. The first connection can have missed those of open tasks.
  let wasConnected = $connected.get()
  $connected.listen((connected) => {
    if (connected && (wasConnected || $inProgress.get() > 0)) void refresh().then(countRefresh)
    wasConnected ||= connected
  })
  // Browsers hold up the timers and sockets of tabs that are out of sight.
  addEventListener('visibilitychange', () => {
    const isStale = document.visibilityState === 'visible' && Date.now() - refreshedAt > POLL_MS
    if (isStale && !$paused.get()) void refresh().then(countRefresh)
  })
  addEventListener('online', () => {
    failures = 0
    $paused.set(false)
    // The new socket reloads the list.
    wasConnected = true
    refreshedAt = Date.now()
    reconnectRealtime()
  })
}

/** Polls each open task while the socket is disconnected, for at most 30 minutes per task. */
export function pollOpenTasks(): void {
  const since = new Map<string, number>()
  const asking = new Set<string>()
  setInterval(() => {
    if ($connected.get() || $paused.get()) return
    for (const { id } of $tasks.get().tasks.filter((task) => !isFinal(task))) {
      const start = since.get(id) ?? Date.now()
      since.set(id, start)
      if (asking.has(id) || Date.now() - start > POLL_FOR_MS) continue
      asking.add(id)
      void rereadTask(id)
        .catch(() => {})
        .finally(() => asking.delete(id))
    }
  }, POLL_MS)
}
