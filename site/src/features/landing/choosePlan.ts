import { readLocalStart, writeLocalStart } from '../../api/start/startDraft.ts'
import { lazyToast } from '../../ui/toasts/lazyToast.ts'

const WARNING_MS = 1500
let leaving: ReturnType<typeof setTimeout> | undefined

/** Starts the purchase of a link's plan. Visitors are led to the sign-in after a warning, for the last plan they chose. */
export function choosePlan(link: HTMLAnchorElement, warning: string): void {
  if (document.documentElement.dataset.session === 'in') return void buy(link)
  writeLocalStart({ ...readLocalStart(), plan: link.dataset.plan ?? '' })
  void lazyToast('warning', warning)
  clearTimeout(leaving)
  leaving = setTimeout(() => location.assign(link.href), WARNING_MS)
}

async function buy(link: HTMLAnchorElement): Promise<void> {
  if (link.ariaBusy) return
  link.ariaBusy = 'true'
  // After a release, the file is gone.
  const purchase = await import('../../api/plans/purchase.ts').catch(() => location.reload())
  await purchase?.buyPlan(link.dataset.plan ?? '')
  link.ariaBusy = null
}
