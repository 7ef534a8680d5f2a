/** Runs an action whenever the browser shows this page again from its back/forward cache. */
export const onRestored = (action: () => void): void =>
  addEventListener('pageshow', ({ persisted }) => persisted && action())

/** Reloads a page that must not show its content any longer, and hides it until then: a reload can take a while. */
export function reloadHidden(): void {
  document.documentElement.style.visibility = 'hidden'
  location.reload()
}
