import { onRestored } from './restored.ts'

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
