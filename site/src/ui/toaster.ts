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
 * Keeps the region in the top modal dialog while one is open, because everything outside is inert. Dialogs open and close
 * by their attribute; React also removes open ones, with what is in them.
 */
function followDialogs(region: HTMLElement): void {
  const place = () => {
    const home = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body
    if (region.parentElement !== home) {
      home.append(region)
      region.showPopover()
    }
    observer.observe(document.body, { attributeFilter: ['open'], subtree: true, childList: home !== document.body })
  }
  const observer = new MutationObserver(place)
  place()
}

/** Renders toasts into the page's live region, without React so that every page can use them. */
export function showToasts(): void {
  const region = document.getElementById('toasts')
  if (!region || following) return
  following = true
  followDialogs(region)
  const closeLabel = region.dataset.close ?? ''
  $toasts.subscribe((toasts) => {
    const wanted = new Set(toasts.map((toast) => String(toast.id)))
    const fresh = toasts.filter((toast) => !region.querySelector(`[data-toast="${toast.id}"]`))
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
