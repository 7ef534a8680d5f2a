import { noise } from './random.ts'
import type { Camera, CameraPath } from './view.ts'

/** The 15 movements by the values that clients and providers use for them. */
const MOVEMENT_BY_VALUE = {
  左移: 'truck_left',
  右移: 'truck_right',
  左摇: 'pan_left',
  右摇: 'pan_right',
  推进: 'push_in',
  拉远: 'pull_out',
  上升: 'pedestal_up',
  下降: 'pedestal_down',
  上摇: 'tilt_up',
  下摇: 'tilt_down',
  变焦推近: 'zoom_in',
  变焦拉远: 'zoom_out',
  晃动: 'shake',
  跟随: 'tracking',
  固定: 'static',
} as const

const MOVEMENT_BY_CHINESE: ReadonlyMap<string, Movement> = new Map(Object.entries(MOVEMENT_BY_VALUE))

export type Movement = (typeof MOVEMENT_BY_VALUE)[keyof typeof MOVEMENT_BY_VALUE]

/** All 15 movements. */
export const MOVEMENTS: readonly Movement[] = Object.values(MOVEMENT_BY_VALUE)

const MAX_MOVEMENTS = 3

/** The movement a text names: its id or its Chinese value. */
export function parseMovement(text: string): Movement | undefined {
  const name = text.trim()
  return MOVEMENTS.find((movement) => movement === name.toLowerCase()) ?? MOVEMENT_BY_CHINESE.get(name)
}

export type CameraOptions = Readonly<{
  /** Seconds. */
  duration: number
  /** Width divided by height. */
  aspect: number
  seed: number
  /** 1 is the full way; less keeps more of a first frame in view. */
  strength?: number
}>

type Reach = Readonly<Record<'truck' | 'pedestal' | 'pan' | 'tilt' | 'dolly' | 'zoom' | 'follow', number>>
type MutableCamera = { -readonly [K in keyof Camera]: Camera[K] }

const STILL: Camera = { truck: 0, pedestal: 0, dolly: 0, pan: 0, tilt: 0, zoom: 1, roll: 0 }

/** Up to three movements combined into one path. Without any, the camera drifts slowly. Unknown names are ignored. */
export function createCameraPath(movements: readonly string[], options: CameraOptions): CameraPath {
  const chosen = movements.map(parseMovement).filter((movement) => movement !== undefined)
  const wanted = [...new Set(chosen)].slice(0, MAX_MOVEMENTS)
  const reach = reachFor(options)
  return (progress) => {
    const camera: MutableCamera = { ...STILL }
    if (wanted.length === 0) drift(camera, progress)
    for (const movement of wanted) MOVES[movement](camera, progress, reach, options)
    return camera
  }
}

/** How far each movement goes: a longer clip goes further, a narrow frame less far sideways. */
function reachFor({ duration, aspect, strength = 1 }: CameraOptions): Reach {
  const length = Math.min(1.35, (duration / 6) ** 0.6) * strength
  const sideways = Math.min(1.2, Math.max(0.6, aspect / 1.78))
  return {
    truck: 0.3 * length * sideways,
    pedestal: 0.17 * length,
    pan: 0.17 * length * sideways,
    tilt: 0.12 * length,
    dolly: 0.42 * Math.min(1.15, length),
    zoom: 0.42 * length,
    follow: 0.16 * duration * sideways * strength,
  }
}

/** Starts and stops gently and keeps its speed in between. */
function ease(progress: number): number {
  return 0.35 * progress + 0.65 * progress * progress * (3 - 2 * progress)
}

/** From -1 to 1, so that the middle of a sideways movement shows the middle of the scene. */
const across = (progress: number) => 2 * ease(progress) - 1

type Move = (camera: MutableCamera, progress: number, reach: Reach, options: CameraOptions) => void

const MOVES: Readonly<Record<Movement, Move>> = {
  truck_left: (camera, progress, reach) => {
    camera.truck -= reach.truck * across(progress)
  },
  truck_right: (camera, progress, reach) => {
    camera.truck += reach.truck * across(progress)
  },
  pan_left: (camera, progress, reach) => {
    camera.pan -= reach.pan * across(progress)
  },
  pan_right: (camera, progress, reach) => {
    camera.pan += reach.pan * across(progress)
  },
  push_in: (camera, progress, reach) => {
    camera.dolly += reach.dolly * ease(progress)
  },
  pull_out: (camera, progress, reach) => {
    camera.dolly += reach.dolly * (1 - ease(progress))
  },
  pedestal_up: (camera, progress, reach) => {
    camera.pedestal -= reach.pedestal * across(progress)
  },
  pedestal_down: (camera, progress, reach) => {
    camera.pedestal += reach.pedestal * across(progress)
  },
  tilt_up: (camera, progress, reach) => {
    camera.tilt -= reach.tilt * across(progress)
  },
  tilt_down: (camera, progress, reach) => {
    camera.tilt += reach.tilt * across(progress)
  },
  zoom_in: (camera, progress, reach) => {
    camera.zoom *= Math.exp(reach.zoom * ease(progress))
  },
  zoom_out: (camera, progress, reach) => {
    camera.zoom *= Math.exp(reach.zoom * (1 - ease(progress)))
  },
  shake: (camera, progress, _reach, options) => shake(camera, progress * options.duration, options.seed % 97),
  tracking: (camera, progress, reach, options) => {
    // Beside a walking subject: constant speed, a step's bob, slowly closer.
    camera.truck += reach.follow * (progress - 0.5)
    camera.pedestal += 0.006 * Math.sin(progress * options.duration * 5.2)
    camera.dolly += 0.08 * ease(progress)
  },
  static: () => {},
}

/** A hand-held camera: a slow sway with a fast tremble on it. Slightly zoomed, so that its edges stay covered. */
function shake(camera: MutableCamera, seconds: number, seed: number): void {
  const fade = Math.min(1, seconds * 3)
  const wobble = (row: number, speed: number) => noise(seconds * speed + row, seed, 9) * 2 - 1
  camera.pan += fade * (0.014 * wobble(3, 2.6) + 0.007 * wobble(40, 7))
  camera.tilt += fade * (0.012 * wobble(80, 2.9) + 0.006 * wobble(120, 7.7))
  camera.roll += fade * (0.007 * wobble(160, 2.2) + 0.003 * wobble(200, 6))
  camera.zoom *= 1.03
}

function drift(camera: MutableCamera, progress: number): void {
  camera.truck += 0.05 * across(progress)
  camera.dolly += 0.1 * ease(progress)
}
