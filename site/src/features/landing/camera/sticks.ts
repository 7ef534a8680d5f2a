import type { MovementKey } from '../../../media/movements.ts'
import { part } from '../../../ui/part.ts'

type Stick = 'move' | 'turn'

interface StickUse {
  /** Position of the knob, from -1 to 1 on each axis. */
  readonly drag: (at: { readonly stick: Stick; readonly x: number; readonly y: number }) => void
  /** Movements on which the knob was released: two on a diagonal, none near the middle. */
  readonly release: (keys: readonly MovementKey[]) => void
}

/** Left, right, up and down of each stick. */
const KEYS: Readonly<Record<Stick, readonly [MovementKey, MovementKey, MovementKey, MovementKey]>> = {
  move: ['truckLeft', 'truckRight', 'pedestalUp', 'pedestalDown'],
  turn: ['panLeft', 'panRight', 'tiltUp', 'tiltDown'],
}
/** Share of the way at which a released knob chooses a movement. */
const FAR = 0.35
/** Share of the dish that the knob can use. */
const TRAVEL = 0.62

/** Lets knobs be dragged. Every movement is a button too, so this is for pointers alone. */
export function watchSticks(section: HTMLElement, { drag, release }: StickUse): void {
  for (const dish of section.querySelectorAll<HTMLElement>('[data-stick]')) {
    const stick = dish.dataset.stick as Stick
    const knob = part('i', dish)
    let held: { x: number; y: number } | undefined
    const move = ({ clientX, clientY }: PointerEvent) => {
      const { left, top, width } = dish.getBoundingClientRect()
      const radius = (width / 2) * TRAVEL
      const [x, y] = [(clientX - left - width / 2) / radius, (clientY - top - width / 2) / radius]
      const far = Math.max(1, Math.hypot(x, y))
      held = { x: x / far, y: y / far }
      knob.style.translate = `${held.x * radius}px ${held.y * radius}px`
      drag({ stick, ...held })
    }
    const end = () => {
      if (!held) return
      const { x, y } = held
      held = undefined
      knob.style.translate = ''
      const [left, right, up, down] = KEYS[stick]
      const across = x < 0 ? left : right
      const along = y < 0 ? up : down
      release([...(Math.abs(x) > FAR ? [across] : []), ...(Math.abs(y) > FAR ? [along] : [])])
    }
    dish.addEventListener('pointerdown', (event) => {
      dish.setPointerCapture(event.pointerId)
      move(event)
    })
    dish.addEventListener('pointermove', (event) => held && move(event))
    dish.addEventListener('pointerup', end)
    dish.addEventListener('pointercancel', end)
  }
}
