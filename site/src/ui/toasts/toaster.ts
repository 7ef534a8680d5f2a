import { closeIcon } from '../closeIcon.ts'
import { $toasts, dismissToast, holdToasts, type Toast } from './toasts.ts'

function element(toast: Toast, closeLabel: string): HTMLElement {
  const box = document.createElement('div')
  box.className = 'toast'
  box.dataset.toast = String(toast.id)
  box.dataset.tone = toast.tone
  if (toast.key) box.dataset.key = toast.key
  if (toast.tone === 'danger') box.role = 'alert'
  const text = document.createElement('div')
  text.className = 'toast-text grow'
  text.append(toast.text)
  if (toast.link) {
    const link = document.createElement('a')
    link.href = toast.link.href
    link.textContent = toast.link.label
    text.append(' ', link)
  }
  if (toast.picture) box.append(Object.assign(document.createElement('img'), { src: toast.picture, alt: '' }))
  box.append(text)
  if (toast.action) {
    const { label, run } = toast.action
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: label })
    button.className = 'button button-quiet'
    button.addEventListener('click', () => {
      dismissToast(toast.id)
      run()
    })
    box.append(button)
  }
  const close = document.createElement('button')
  close.type = 'button'
  close.className = 'icon-button'
  close.ariaLabel = closeLabel
  close.append(closeIcon())
  close.addEventListener('click', () => dismissToast(toast.id))
  box.append(close)
  return box
}

export { showToast } from './toasts.ts'

let following = false

/**
 * Keeps the region in the top modal dialog while one is open, because everything outside is inert. Dialogs open and close
 * by their attribute; React also removes open ones, with what is in them.
 */
function followDialogs(region: HTMLElement, onMoved: () => void): void {
  const place = () => {
    const home = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body
    if (region.parentElement !== home) {
      home.append(region)
      region.showPopover()
      onMoved()
    }
    observer.observe(document.body, { attributeFilter: ['open'], subtree: true, childList: home !== document.body })
  }
  const observer = new MutationObserver(place)
  place()
}

const GAP = 8

/** Stacks the toasts upwards, without moving the others in the layout. Returns the height of the stack. */
function stack(region: HTMLElement): number {
  let height = 0
  for (const box of [...region.querySelectorAll<HTMLElement>('.toast')].reverse()) {
    box.style.setProperty('--lift', `${-height}px`)
    height += box.offsetHeight + GAP
  }
  return height
}

/**
 * Returns the height that the stack may have: above an open dialog's lower edge, toasts would cover its buttons. If not even
 * the newest fits below the dialog, only the newest is shown, above the buttons.
 */
function room(region: HTMLElement): number {
  region.style.removeProperty('--raise')
  const { left, bottom } = region.getBoundingClientRect()
  const dialog = region.closest('dialog')
  const box = dialog?.getBoundingClientRect()
  if (!box || box.right <= left) return bottom
  const newest = region.querySelector<HTMLElement>('.toast')?.offsetHeight ?? 0
  if (bottom - box.bottom >= newest) return bottom - box.bottom
  const foot = dialog?.querySelector(':scope > .dialog-foot')
  const raise = foot ? bottom - foot.getBoundingClientRect().top + GAP : 0
  region.style.setProperty('--raise', `${-Math.max(raise, 0)}px`)
  return 0
}

/** Returns a function that removes a toast. If it has the keyboard focus, `next`, another toast or what had it before gets it. */
function remover(region: HTMLElement): (box: HTMLElement, next?: HTMLElement | null) => void {
  let before: HTMLElement | null = null
  region.addEventListener('focusin', ({ relatedTarget }) => {
    if (relatedTarget instanceof HTMLElement && !region.contains(relatedTarget)) before = relatedTarget
  })
  return (box, next) => {
    const isFocused = box.querySelector(':focus-visible') !== null
    box.remove()
    if (isFocused) (next ?? region.querySelector('button') ?? before)?.focus()
  }
}

/** Renders toasts into the page's live region, the newest on top, without React so that every page can use them. */
export function showToasts(): void {
  const region = document.getElementById('toasts')
  if (!region || following) return
  following = true
  const closeLabel = region.dataset.close ?? ''
  const remove = remover(region)
  const arrange = () => {
    // Both move the toasts, also a single one.
    const isFull = stack(region) - GAP > room(region)
    const [oldest, newer] = $toasts.get()
    if (isFull && oldest && newer) dismissToast(oldest.id)
  }
  followDialogs(region, arrange)
  const observer = new ResizeObserver(arrange)
  holdToasts(
    () => region.matches(':focus-within') || (region.matches(':hover') && matchMedia('(hover: hover)').matches),
  )
  $toasts.subscribe((toasts) => {
    const wanted = new Set(toasts.map((toast) => String(toast.id)))
    const fresh = toasts.filter((toast) => !region.querySelector(`[data-toast="${toast.id}"]`))
    for (const toast of fresh) {
      const box = element(toast, closeLabel)
      const replaced = toast.key && region.querySelector<HTMLElement>(`[data-key="${CSS.escape(toast.key)}"]`)
      box.style.setProperty('--lift', replaced ? replaced.style.getPropertyValue('--lift') : `${-stack(region)}px`)
      if (replaced) {
        replaced.before(box)
        remove(replaced, box.querySelector('button'))
      } else region.prepend(box)
      observer.observe(box)
    }
    for (const shown of region.querySelectorAll<HTMLElement>('[data-toast]'))
      if (!wanted.has(shown.dataset.toast ?? '')) remove(shown)
    arrange()
  })
}
