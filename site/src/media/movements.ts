import { CAMERA_MOVEMENTS, type CameraMovement } from '#backend/tasks/contract.ts'
import { fileIn } from './fileIn.ts'

export type MovementKey = (typeof CAMERA_MOVEMENTS)[CameraMovement]['key']

const stills = import.meta.glob<string>('./movements/*.webp', { eager: true, query: '?url', import: 'default' })
const clips = import.meta.glob<string>('./movements/*.mp4', { eager: true, query: '?url', import: 'default' })

/** The catalogue keys of all 15 movements, in display order. */
export const MOVEMENT_KEYS: readonly MovementKey[] = Object.values(CAMERA_MOVEMENTS).map(({ key }) => key)

/** Returns the addresses of a movement's preview: a clip of 320 × 180 pixels and its first frame. */
export function movementMedia(key: MovementKey): { still: string; clip: string } {
  return { still: fileIn(stills, `./movements/${key}.webp`), clip: fileIn(clips, `./movements/${key}.mp4`) }
}
