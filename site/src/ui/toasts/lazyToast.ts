import type { Tone } from './toasts.ts'

/** Shows a toast. Loads the code on demand, because most visits to public pages show none. */
export async function lazyToast(tone: Tone, text: string): Promise<void> {
  const { showToast, showToasts } = await import('./toaster.ts')
  showToasts()
  showToast(tone, text)
}
