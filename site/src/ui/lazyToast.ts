import type { Tone } from './toasts.ts'

/** Shows a toast. Loads the code for it first: most visits to an open page never show one. */
export async function lazyToast(tone: Tone, text: string): Promise<void> {
  const { showToast, showToasts } = await import('./toaster.ts')
  showToasts()
  showToast(tone, text)
}
