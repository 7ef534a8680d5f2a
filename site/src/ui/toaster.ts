import { closeIcon } from './closeIcon.ts'
import { $toasts, dismissToast, type Toast } from './toasts.ts'

function element(toast: Toast, closeLabel: string): HTMLElement {
  const box = document.createElement('div')
  box.className = 'toast'
  box.dataset.toast = String(toast.id)
  box.dataset.tone = toast.tone
  if (toast.key) box.dataset.key = toast.key
  if (toast.tone === 'danger') box.role = 'alert'
  const text = document.createElement('div')
  text.className = 'toast-text'
  text.append(toast.text)
  if (toast.link) {
    const link = document.createElement('a')
    link.href = toast.link.href
    link.textContent = toast.link.label
    text.append(' ', link)
  }
  const close = document.createElement('button')
  close.type = 'button'
  close.className = 'icon-button'
  close.ariaLabel = closeLabel
  close.append(closeIcon())
  close.addEventListener('click', () => dismissToast(toast.id))
  box.append(text, close)
  return box
}

export { showToast } from './toasts.ts'

let following = false

/**
 * Renders toasts into the page's live region, without React so that every page can use them. While a dialog is
 * open, each toast reopens the popover, which moves it above the dialog.
 */
export function showToasts(): void {
  const region = document.getElementById('toasts')
  if (!region || following) return
  following = true
  const closeLabel = region.dataset.close ?? ''
  $toasts.subscribe((toasts) => {
    const wanted = new Set(toasts.map((toast) => String(toast.id)))
    const fresh = toasts.filter((toast) => !region.querySelector(`[data-toast="${toast.id}"]`))
    if (fresh.length > 0 && document.querySelector('dialog[open]')) {
      region.hidePopover()
      region.showPopover()
    }
    for (const toast of fresh) {
      const box = element(toast, closeLabel)
      const replaced = toast.key && region.querySelector(`[data-key="${CSS.escape(toast.key)}"]`)
      if (replaced) replaced.replaceWith(box)
      else region.append(box)
    }
    for (const shown of region.querySelectorAll<HTMLElement>('[data-toast]'))
      if (!wanted.has(shown.dataset.toast ?? '')) shown.remove()
  })
}
