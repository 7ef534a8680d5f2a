import { atom } from 'nanostores'
import { status } from '#backend/kernel/http/contract.ts'
import { call } from '../../api/api.ts'
import { loadCredits } from '../../api/credits.ts'
import { once } from '../../api/once.ts'
import { requireMember } from '../../api/session.ts'
import { $labelPolicy } from '../../api/videoLabel.ts'
import { translate } from '../../i18n/client.ts'
import { showToast } from '../../ui/toasts/toasts.ts'
import { keepDraft } from './draft.ts'
import { pollOpenTasks, refreshListPeriodically } from './freshness.ts'
import { loadModels } from './generation.ts'
import { keepPayer } from './pay/payer.ts'
import { loadQueue } from './queue.ts'
import { connectRealtime } from './realtime.ts'
import { rememberFilms } from './stage/filmFirst.ts'
import { restoreSingleKeys } from './stage/singleKeys.ts'
import { restoreTheatre } from './stage/theatre.ts'
import { loadRules } from './submission.ts'
import { $tasks, loadTasks } from './tasks.ts'

/** State of the page. `away` means that the browser is being redirected to the login page. */
export const $stage = atom<'loading' | 'open' | 'away'>('loading')
export const $demo = atom(false)
/** Whether the engine can improve prompts. */
export const $canOptimize = atom(true)

async function firstLoads(): Promise<void> {
  const loads = [loadTasks(), loadQueue(), loadModels(), loadCredits()]
  const results = await Promise.allSettled(loads)
  if (results[0]?.status === 'rejected') $tasks.set({ status: 'failed', tasks: [], total: 0 })
  if (results.every((result) => result.status === 'rejected'))
    showToast('danger', translate()('workspace.queue.pageFailed'), { ms: 10_000 })
}

/** How long the form waits for the engine's abilities, in milliseconds. */
const STATUS_MS = 1_500
const delay = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined))

/** Loads the workspace, or redirects visitors to the login page. Runs once per page. */
export const openWorkspace = once(async () => {
  const asked = Promise.race([call(status), delay(STATUS_MS)]).catch(() => undefined)
  const user = await requireMember()
  if (!user) return $stage.set('away')
  keepDraft(user.id)
  keepPayer(user.id)
  restoreTheatre()
  rememberFilms()
  restoreSingleKeys()
  // What the engine can do decides on the form's height, so the form waits for it.
  const engine = await asked
  if (engine) {
    $demo.set(engine.demo_renderer)
    $canOptimize.set(engine.prompt_optimizer)
    $labelPolicy.set(engine.video_label)
  }
  $stage.set('open')
  await firstLoads()
  void loadRules()
  connectRealtime()
  refreshListPeriodically()
  pollOpenTasks()
})
