/** Shows the figures of the landing page that the operators changed. */
import type { Notices } from '#backend/installation/contract.ts'

export function showFigures(figures: NonNullable<Notices['figures']>): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-claim]'))
    place.textContent = figures[place.dataset.claim ?? ''] ?? place.textContent
}
