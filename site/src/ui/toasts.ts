import { atom } from 'nanostores'

export type Tone = 'info' | 'success' | 'warning' | 'danger'

export interface Toast {
  readonly id: number
  readonly tone: Tone
  readonly text: string
  readonly link?: { readonly href: string; readonly label: string }
}

export const $toasts = atom<readonly Toast[]>([])

const AT_ONCE = 4
let last = 0

/** Shows a toast. Repeating a message restarts its timer. @param options.ms duration, 5000 by default */
export function showToast(tone: Tone, text: string, options: { ms?: number; link?: Toast['link'] } = {}): void {
  last += 1
  const toast: Toast = { id: last, tone, text, ...(options.link ? { link: options.link } : {}) }
  const others = $toasts.get().filter((other) => other.text !== text)
  $toasts.set([...others.slice(1 - AT_ONCE), toast])
  setTimeout(() => dismissToast(toast.id), options.ms ?? 5000)
}

export function dismissToast(id: number): void {
  if ($toasts.get().some((toast) => toast.id === id)) $toasts.set($toasts.get().filter((toast) => toast.id !== id))
}
