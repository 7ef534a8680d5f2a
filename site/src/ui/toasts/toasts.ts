import { atom } from 'nanostores'

export type Tone = 'info' | 'success' | 'warning' | 'danger'

export interface Toast {
  readonly id: number
  readonly tone: Tone
  readonly text: string
  /** Toasts with the same key replace each other in place. */
  readonly key?: string
  readonly link?: { readonly href: string; readonly label: string }
  /** Address of a picture. */
  readonly picture?: string | undefined
  readonly action?: { readonly label: string; readonly run: () => unknown }
}

export const $toasts = atom<readonly Toast[]>([])

const AT_ONCE = 4
const HELD_MS = 1000
let last = 0

interface ToastOptions extends Pick<Toast, 'link' | 'picture' | 'action'> {
  readonly key?: string | undefined
  /** How long the toast is shown in milliseconds, 5000 by default. */
  readonly ms?: number
}

/** Shows a toast, or updates the one with the same key. Repeating a message restarts its timer. */
export function showToast(tone: Tone, text: string, { ms = 5000, key, ...more }: ToastOptions = {}): void {
  last += 1
  const toast: Toast = { id: last, tone, text, ...more, ...(key !== undefined && { key }) }
  const shown = $toasts.get()
  const place = key === undefined ? -1 : shown.findIndex((other) => other.key === key)
  if (place >= 0) $toasts.set(shown.with(place, toast))
  else $toasts.set([...shown.filter((other) => other.text !== text || other.key !== key).slice(1 - AT_ONCE), toast])
  setTimeout(() => expire(toast.id), ms)
}

let isHeld = () => false

/** Keeps toasts whose time is over while `held` returns true, so that they can be read and used. */
export function holdToasts(held: () => boolean): void {
  isHeld = held
}

function expire(id: number): void {
  if (isHeld()) setTimeout(() => expire(id), HELD_MS)
  else dismissToast(id)
}

export function dismissToast(id: number): void {
  if ($toasts.get().some((toast) => toast.id === id)) $toasts.set($toasts.get().filter((toast) => toast.id !== id))
}
