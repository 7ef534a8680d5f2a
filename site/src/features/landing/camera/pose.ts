import type { MovementKey } from '../../../media/movements.ts'

/** Where the camera stands and looks: lengths in frame widths, angles and roll in radians, zoom as a factor. */
export type Pose = Readonly<
  Record<'truck' | 'pedestal' | 'pan' | 'tilt' | 'dolly' | 'roll', number> & { readonly zoom: number }
>
export const REST: Pose = { truck: 0, pedestal: 0, pan: 0, tilt: 0, dolly: 0, roll: 0, zoom: 1 }

/** Distance of a movement from the middle to its end, as the renderer moves. */
export const REACH = { truck: 0.255, pedestal: 0.145, pan: 0.145, tilt: 0.102 }
const PUSH = 0.42

/** What a movement moves, and in which direction. Movements of one axis exclude each other. */
export const AXES = {
  truckLeft: ['truck', -1],
  truckRight: ['truck', 1],
  panLeft: ['pan', -1],
  panRight: ['pan', 1],
  pushIn: ['dolly', 1],
  pullOut: ['dolly', -1],
  pedestalUp: ['pedestal', -1],
  pedestalDown: ['pedestal', 1],
  tiltUp: ['tilt', -1],
  tiltDown: ['tilt', 1],
  zoomIn: ['zoom', 1],
  zoomOut: ['zoom', -1],
  shake: ['shake', 0],
  follow: ['follow', 0],
  fixed: ['fixed', 0],
} as const satisfies Record<MovementKey, readonly [string, -1 | 0 | 1]>

const MOST = 3

/** Adds or removes a movement. A new one replaces that of its axis, and the oldest of more than three; fixed stands alone. */
export function chooseMovement(chosen: readonly MovementKey[], key: MovementKey): MovementKey[] {
  if (chosen.includes(key)) return chosen.filter((other) => other !== key)
  if (key === 'fixed') return [key]
  const others = chosen.filter((other) => other !== 'fixed' && AXES[other][0] !== AXES[key][0])
  return [...others, key].slice(-MOST)
}

/** Starts and ends gently. */
const eased = (progress: number) => 0.35 * progress + 0.65 * progress * progress * (3 - 2 * progress)

/** Returns the pose at a progress from 0 to 1, after some seconds. */
export function poseAt(movements: readonly MovementKey[], progress: number, seconds: number): Pose {
  const pose = { ...REST }
  const e = eased(progress)
  for (const key of movements) {
    const [axis, direction] = AXES[key]
    const way = direction > 0 ? e : 1 - e
    if (axis === 'dolly') pose.dolly += PUSH * way
    else if (axis === 'zoom') pose.zoom *= Math.exp(PUSH * way)
    else if (axis === 'follow') {
      pose.truck += 0.6 * (progress - 0.5)
      pose.dolly += 0.08 * e
    } else if (axis === 'shake') {
      pose.pan += 0.012 * Math.sin(seconds * 9) + 0.006 * Math.sin(seconds * 23)
      pose.tilt += 0.01 * Math.sin(seconds * 11 + 1)
      pose.roll += 0.006 * Math.sin(seconds * 7)
      pose.zoom *= 1.03
    } else if (axis !== 'fixed') pose[axis] += REACH[axis] * direction * (2 * e - 1)
  }
  return pose
}
