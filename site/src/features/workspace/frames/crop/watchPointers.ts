interface PointerUse {
  /** A drag by some CSS pixels. */
  readonly pan: (right: number, down: number) => void
  /** A pinch or a turn of the wheel. */
  readonly zoom: (factor: number) => void
}

const WHEEL_STEP = 400

/** Reads drags, pinches and the wheel on an element. Returns what ends it. */
export function watchPointers(surface: HTMLElement, { pan, zoom }: PointerUse): () => void {
  const end = new AbortController()
  const { signal } = end
  const held = new Map<number, { readonly x: number; readonly y: number }>()
  const spread = () => {
    const [a, b] = [...held.values()]
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0
  }
  const down = (event: PointerEvent) => {
    surface.setPointerCapture(event.pointerId)
    held.set(event.pointerId, { x: event.clientX, y: event.clientY })
  }
  const move = ({ pointerId, clientX, clientY }: PointerEvent) => {
    const from = held.get(pointerId)
    if (!from) return
    const before = spread()
    held.set(pointerId, { x: clientX, y: clientY })
    if (held.size === 1) pan(clientX - from.x, clientY - from.y)
    else if (before > 0) zoom(spread() / before)
  }
  const up = ({ pointerId }: PointerEvent) => void held.delete(pointerId)
  const turn = (event: WheelEvent) => {
    event.preventDefault()
    zoom(Math.exp(-event.deltaY / WHEEL_STEP))
  }
  surface.addEventListener('pointerdown', down, { signal })
  surface.addEventListener('pointermove', move, { signal })
  surface.addEventListener('pointerup', up, { signal })
  surface.addEventListener('pointercancel', up, { signal })
  surface.addEventListener('wheel', turn, { signal, passive: false })
  return () => end.abort()
}
