import type { Tone } from '../../ui/toasts.ts'

/** Shows a message. What draws it is fetched for the first one: most readers of an open page never see any. */
export async function toast(tone: Tone, text: string): Promise<void> {
  const { showToast, showToasts } = await import('../../ui/toaster.ts')
  showToasts()
  showToast(tone, text)
}
