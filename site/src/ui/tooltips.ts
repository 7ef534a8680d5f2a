import { typedKey } from './keys/typedKey.ts'

/** How long the pointer rests, and a finger presses, before a tooltip shows, ms. */
const REST_MS = 400
const PRESS_MS = 500
const TIPPED = '[data-tip], .icon-button[aria-label]'
const GAP = 6

/** Shows the names of icon buttons beside them: on hover, on keyboard focus, and on a long press. Escape hides them. */
export function showTooltips(): void {
  const tip = Object.assign(document.createElement('div'), {
    className: 'tooltip',
    popover: 'manual',
    ariaHidden: 'true',
  })
  let timer = 0
  let shown: Element | undefined

  const hide = () => {
    clearTimeout(timer)
    shown = undefined
    if (tip.isConnected && tip.matches(':popover-open')) tip.hidePopover()
  }
  const show = (target: HTMLElement) => {
    const text = target.dataset.tip ?? target.ariaLabel
    if (!text || !target.isConnected) return
    if (!tip.isConnected) document.body.append(tip)
    shown = target
    tip.textContent = text
    // Shown again, so that it is above a dialog that opened since.
    if (tip.matches(':popover-open')) tip.hidePopover()
    tip.showPopover()
    const at = target.getBoundingClientRect()
    const { width, height } = tip.getBoundingClientRect()
    const isBelow = at.top < height + 2 * GAP
    const left = at.left + at.width / 2 - width / 2
    tip.style.left = `${Math.max(GAP, Math.min(innerWidth - width - GAP, left))}px`
    tip.style.top = `${isBelow ? at.bottom + GAP : at.top - height - GAP}px`
  }
  const later = (target: HTMLElement, ms: number) => {
    clearTimeout(timer)
    timer = window.setTimeout(() => show(target), ms)
  }
  const tipped = (event: Event) => (event.target instanceof Element ? event.target.closest<HTMLElement>(TIPPED) : null)

  document.addEventListener('pointerover', (event) => {
    const target = tipped(event)
    if (event.pointerType === 'touch' || target === shown) return
    hide()
    if (target) later(target, REST_MS)
  })
  document.addEventListener('pointerdown', (event) => {
    hide()
    const target = tipped(event)
    if (target && event.pointerType === 'touch') later(target, PRESS_MS)
  })
  for (const name of ['pointerup', 'pointercancel'] as const) document.addEventListener(name, () => clearTimeout(timer))
  document.addEventListener('focusin', (event) => {
    hide()
    const target = tipped(event)
    if (target?.matches(':focus-visible')) show(target)
  })
  document.addEventListener('focusout', hide)
  document.addEventListener('keydown', (event) => typedKey(event) === 'Escape' && hide(), true)
  addEventListener('scroll', hide, { capture: true, passive: true })
}
