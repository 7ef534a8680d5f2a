import { type PointerEvent, useRef, useState } from 'react'
import type { CameraMovement } from '#backend/tasks/contract.ts'

/** A movement that a knob is at, and how far it has got: from 0 to 1. */
export interface Held {
  readonly movement: CameraMovement
  readonly progress: number
}

/** The movements at the two ends of an axis: left and right, or up and down. */
export type Ends = readonly [CameraMovement, CameraMovement]

/** Share of the way at which a released knob chooses a movement. */
const FAR = 0.35
/** Radius of a knob in CSS pixels, which stays inside. */
const RADIUS = 22
const REST = { x: 0, y: 0 }

interface KnobProps {
  readonly label: string
  readonly across: Ends
  /** Missing for a fader, which moves across alone. */
  readonly along?: Ends
  readonly onHold: (held: readonly Held[] | null) => void
  readonly onChoose: (movements: readonly CameraMovement[]) => void
}

/** A stick or a fader for pointers. Each of its movements is a button elsewhere. */
export function Knob({ label, across, along, onHold, onChoose }: KnobProps) {
  const [at, setAt] = useState(REST)
  const [way, setWay] = useState(REST)
  const isHeld = useRef(false)
  const move = ({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>) => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect()
    const [wayX, wayY] = [width / 2 - RADIUS, along ? height / 2 - RADIUS : 0]
    const x = (clientX - left - width / 2) / wayX
    const y = along ? (clientY - top - height / 2) / wayY : 0
    const far = Math.max(1, Math.hypot(x, y))
    setWay({ x: wayX, y: wayY })
    setAt({ x: x / far, y: y / far })
    const hold = ([, end]: Ends, value: number): Held => ({ movement: end, progress: (value / far + 1) / 2 })
    onHold([hold(across, x), ...(along ? [hold(along, y)] : [])])
  }
  const release = () => {
    if (!isHeld.current) return
    isHeld.current = false
    setAt(REST)
    onHold(null)
    const endOf = (ends: Ends, value: number) => (Math.abs(value) > FAR ? [ends[value < 0 ? 0 : 1]] : [])
    onChoose([...endOf(across, at.x), ...(along ? endOf(along, at.y) : [])])
  }
  return (
    <div className="knob-field centered stack gap-1 center" aria-hidden="true">
      <span className="hint">{label}</span>
      <div
        className={along ? 'dish knob-dish' : 'dish knob-dish knob-fader'}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          isHeld.current = true
          move(event)
        }}
        onPointerMove={(event) => isHeld.current && move(event)}
        onPointerUp={release}
        onPointerCancel={release}
      >
        <i style={{ translate: `${at.x * way.x}px ${at.y * way.y}px` }} />
      </div>
    </div>
  )
}
