import type { PackCurrency, PackId } from '#backend/subscriptions/contract.ts'
import { readLocalStart, writeLocalStart } from '../../api/start/startDraft.ts'
import { lazyToast } from '../../ui/toasts/lazyToast.ts'

const WARNING_MS = 1500
let leaving: ReturnType<typeof setTimeout> | undefined

/** Starts the purchase of a link's plan or pack. Visitors are led to the sign-in after a warning, for the last plan they chose. */
export function choosePlan(link: HTMLAnchorElement, warning: string): void {
  if (document.documentElement.dataset.session === 'in') return void buy(link)
  if (link.dataset.plan) writeLocalStart({ ...readLocalStart(), plan: link.dataset.plan })
  void lazyToast('warning', warning)
  clearTimeout(leaving)
  leaving = setTimeout(() => location.assign(link.href), WARNING_MS)
}

async function buy(link: HTMLAnchorElement): Promise<void> {
  if (link.ariaBusy) return
  link.ariaBusy = 'true'
  // After a release, the file is gone.
  const purchase = await import('../../api/plans/purchase.ts').catch(() => location.reload())
  const { plan = '', pack, provider, currency } = link.dataset
  const till = provider ? { provider, currency: currency as PackCurrency } : undefined
  await (pack ? purchase?.buyPack(pack as PackId, till) : purchase?.buyPlan(plan))
  link.ariaBusy = null
}
