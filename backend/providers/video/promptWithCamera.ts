import { CAMERA_MOVEMENTS, type CameraMovement } from '#backend/tasks/contract.ts'

/** Appends camera movements to a prompt as a sentence, for engines without camera commands. */
export function promptWithCamera(prompt: string, movements: readonly CameraMovement[]): string {
  if (movements.length === 0) return prompt
  // The key `truckLeft` reads "truck left".
  const words = movements.map((movement) =>
    CAMERA_MOVEMENTS[movement].key.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`),
  )
  return `${prompt} Camera: ${words.join(', ')}.`
}
