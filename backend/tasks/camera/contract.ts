/**
 * Where the camera is during a clip, and how a picture with estimated depth looks from there. The demo renders videos
 * with it, and the site previews camera movements. See docs/decisions/0034-camera-maths-as-a-contract.md.
 */
import { CAMERA_MOVEMENTS, type CameraMovement, MAX_CAMERA_MOVEMENTS } from '../catalogue/models.contract.ts'
import { noise } from './noise.contract.ts'

export * from './depth.contract.ts'

/**
 * Position and orientation of the camera. World space is measured in frame heights from the centre of the frame, with y
 * pointing down. The `nearness` of a plane is its inverse distance: 0 at infinity, 1 for the nearest plane.
 */
export type Camera = Readonly<{
  /** Horizontal position; positive is right. Near planes shift more than far ones (parallax). */
  truck: number
  /** Vertical position; positive is down. */
  pedestal: number
  /** Forward movement, as a fraction of the distance to the nearest plane. */
  dolly: number
  /** Rotation to the right, approximated by an equal shift of all planes, in world units. */
  pan: number
  /** Rotation downwards, approximated in the same way. */
  tilt: number
  /** Magnification: at 1, the frame is one world unit high. */
  zoom: number
  /** Clockwise rotation in radians. */
  roll: number
}>

/** Returns the camera for a progress from 0 (first frame) to 1 (last frame). */
export type CameraPath = (progress: number) => Camera

export type CameraOptions = Readonly<{
  /** Seconds. */
  duration: number
  /** Width divided by height. */
  aspect: number
  seed: number
  /** Amplitude factor, 1 by default. Smaller values crop less of a first frame. */
  strength?: number
}>

type Reach = Readonly<Record<'truck' | 'pedestal' | 'pan' | 'tilt' | 'dolly' | 'zoom' | 'follow', number>>
type MutableCamera = { -readonly [K in keyof Camera]: Camera[K] }
type Move = (camera: MutableCamera, progress: number, reach: Reach, options: CameraOptions) => void

const STILL: Camera = { truck: 0, pedestal: 0, dolly: 0, pan: 0, tilt: 0, zoom: 1, roll: 0 }

/** Combines up to three movements into one path, ignoring unknown ones. Without any, the camera drifts slowly. */
export function createCameraPath(movements: readonly string[], options: CameraOptions): CameraPath {
  const known = movements.filter((movement): movement is CameraMovement => Object.hasOwn(CAMERA_MOVEMENTS, movement))
  const chosen = [...new Set(known)].slice(0, MAX_CAMERA_MOVEMENTS)
  const reach = reachFor(options)
  return (progress) => {
    const camera: MutableCamera = { ...STILL }
    if (chosen.length === 0) drift(camera, progress)
    for (const movement of chosen) MOVES[CAMERA_MOVEMENTS[movement].key](camera, progress, reach, options)
    return camera
  }
}

/** Returns the amplitude of each movement: larger in longer clips, smaller horizontally in narrow frames. */
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

/** Eases in and out; the speed at both ends is 35 % of the average. */
const ease = (progress: number) => 0.35 * progress + 0.65 * progress * progress * (3 - 2 * progress)

/** Maps progress to -1 to 1, so that the camera is at the centre of the scene halfway through the movement. */
const across = (progress: number) => 2 * ease(progress) - 1

const shift =
  (axis: 'truck' | 'pedestal' | 'pan' | 'tilt', direction: 1 | -1): Move =>
  (camera, progress, reach) => {
    camera[axis] += direction * reach[axis] * across(progress)
  }

const MOVES: Readonly<Record<(typeof CAMERA_MOVEMENTS)[CameraMovement]['key'], Move>> = {
  truckLeft: shift('truck', -1),
  truckRight: shift('truck', 1),
  panLeft: shift('pan', -1),
  panRight: shift('pan', 1),
  pedestalUp: shift('pedestal', -1),
  pedestalDown: shift('pedestal', 1),
  tiltUp: shift('tilt', -1),
  tiltDown: shift('tilt', 1),
  pushIn: (camera, progress, reach) => {
    camera.dolly += reach.dolly * ease(progress)
  },
  pullOut: (camera, progress, reach) => {
    camera.dolly += reach.dolly * (1 - ease(progress))
  },
  zoomIn: (camera, progress, reach) => {
    camera.zoom *= Math.exp(reach.zoom * ease(progress))
  },
  zoomOut: (camera, progress, reach) => {
    camera.zoom *= Math.exp(reach.zoom * (1 - ease(progress)))
  },
  shake: (camera, progress, _reach, options) => shake(camera, progress * options.duration, options.seed % 97),
  follow: (camera, progress, reach, options) => {
    // Tracks a walking subject: constant horizontal speed, a bob per step and a slow dolly in.
    camera.truck += reach.follow * (progress - 0.5)
    camera.pedestal += 0.006 * Math.sin(progress * options.duration * 5.2)
    camera.dolly += 0.08 * ease(progress)
  },
  fixed: () => {},
}

/** Simulates a hand-held camera: a slow sway with a fast tremble. The slight zoom keeps the frame covered. */
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

/**
 * Projects a point of the plane at `nearness` to frame heights from the centre of the frame, before the camera rolls.
 * The vanishing point is the centre.
 */
export function projectPoint(camera: Camera, nearness: number, x: number, y: number): [x: number, y: number] {
  const distance = 1 - camera.dolly * nearness
  return [
    camera.zoom * ((x - camera.truck * nearness) / distance - camera.pan),
    camera.zoom * ((y - camera.pedestal * nearness) / distance - camera.tilt),
  ]
}
