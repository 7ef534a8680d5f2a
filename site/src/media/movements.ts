import { CAMERA_MOVEMENTS, type CameraMovement } from '#backend/tasks/contract.ts'

export type MovementKey = (typeof CAMERA_MOVEMENTS)[CameraMovement]['key']

const stills = import.meta.glob<string>('./movements/*.webp', { eager: true, query: '?url', import: 'default' })
const clips = import.meta.glob<string>('./movements/*.mp4', { eager: true, query: '?url', import: 'default' })

/** All 15 movements by their key in the catalogues, in the order in which they are offered. */
export const MOVEMENT_KEYS: readonly MovementKey[] = Object.values(CAMERA_MOVEMENTS).map(({ key }) => key)

/** The addresses of a movement's preview: a clip of 320 × 180, and its first frame as a still. */
export function movementMedia(key: MovementKey): { still: string; clip: string } {
  return { still: stills[`./movements/${key}.webp`]!, clip: clips[`./movements/${key}.mp4`]! }
}
