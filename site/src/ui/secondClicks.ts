/** Time in milliseconds and distance in CSS pixels within which two taps are one double tap. */
const WITHIN_MS = 400
const WITHIN_PX = 10

function controlOf(target: EventTarget | null): EventTarget | null {
  if (!(target instanceof Element)) return target
  // A click on a label is followed by one on its field.
  return target.closest('label')?.control ?? target.closest('a, button, input, select, summary, dialog') ?? target
}

/** Browsers count the clicks of a mouse, but not taps. */
function isSecond(event: MouseEvent, first: MouseEvent): boolean {
  if (event.detail > 1) return true
  const isTap = event instanceof PointerEvent && event.pointerType === 'touch'
  const distance = Math.hypot(event.clientX - first.clientX, event.clientY - first.clientY)
  return isTap && event.timeStamp - first.timeStamp < WITHIN_MS && distance < WITHIN_PX
}

/**
 * Keeps the second click of a double click from what the first one has put under the pointer: the page under a dialog that
 * it closed, or the next row of a list.
 */
export function ignoreSecondClicks(): void {
  let first: MouseEvent | undefined
  let clicked: EventTarget | null = null
  const guard = (event: MouseEvent) => {
    // Keys and scripts click without a count.
    if (event.detail === 0) return
    const control = controlOf(event.target)
    if (first && isSecond(event, first) && control !== clicked) {
      event.preventDefault()
      event.stopImmediatePropagation()
    } else if (event.type === 'click') {
      first = event
      clicked = control
    }
  }
  addEventListener('mousedown', guard, { capture: true })
  addEventListener('click', guard, { capture: true })
}
