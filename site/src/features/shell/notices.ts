/** Shows what the operators changed: a banner, or what is paused, and figures of the landing page. */
import type { Notices } from '#backend/installation/contract.ts'
import { pageLocale, translate } from '../../i18n/client.ts'

export function showNotices({ banner, figures = {}, paused }: Notices): void {
  const t = translate()
  const silent = paused?.generation
    ? t('common.notice.generation')
    : paused?.registration && t('common.notice.registration')
  const text = banner?.[pageLocale()] ?? silent
  if (text) {
    const bar = document.createElement('p')
    bar.className = 'notice-bar'
    bar.role = 'status'
    bar.textContent = text
    document.querySelector('.skip')?.after(bar)
  }
  for (const place of document.querySelectorAll<HTMLElement>('[data-claim]'))
    place.textContent = figures[place.dataset.claim ?? ''] ?? place.textContent
}
