/** Runs an action whenever the browser shows this page again from its back/forward cache. */
export const onRestored = (action: () => void): void =>
  addEventListener('pageshow', ({ persisted }) => persisted && action())

/** Reloads a page that must not show its content any longer, and hides it until then: a reload can take a while. */
export function reloadHidden(): void {
  document.documentElement.style.visibility = 'hidden'
  location.reload()
}

/** How long a page can take to open before the user may have stopped it, in milliseconds. */
const OPENED_WITHIN_MS = 10_000

/** Opens another page. Resolves when the browser comes back to this one, or after ten seconds if it has not left it. */
export function leaveFor(address: string): Promise<void> {
  location.assign(address)
  return new Promise((resolve) => {
    onRestored(resolve)
    setTimeout(resolve, OPENED_WITHIN_MS)
  })
}
