import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { readImageHeader } from '#backend/kernel/media/imageFile.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import { pixelSize } from '../pixelSize.ts'
import { promptWithCamera } from '../promptWithCamera.ts'
import type { ComfyuiClient } from './comfyuiClient.ts'
import type { ComfyuiGraph, GraphValues } from './graphFile.ts'

/** Returns the names under which the pictures of a task are uploaded: first and last frame. */
export const picturesOf = (taskId: string) => [`${taskId}-first.jpg`, `${taskId}-last.jpg`] as const

/** Returns the values for a graph's bound inputs. Uploads the pictures. */
export async function graphValues(
  request: RenderRequest,
  { bindings, fps }: Pick<ComfyuiGraph, 'bindings' | 'fps'>,
  client: Pick<ComfyuiClient, 'upload'>,
  signal: AbortSignal,
): Promise<GraphValues> {
  const { taskId, resolution, duration, aspectRatio, negativePrompt } = request
  const first = request.firstFrame && bindings.firstFrame ? await readFile(request.firstFrame) : undefined
  const last = request.lastFrame && bindings.lastFrame ? await readFile(request.lastFrame) : undefined
  const [firstName, lastName] = picturesOf(taskId)
  const size = pixelSize(resolution, aspectRatio ?? (first && readImageHeader(first)))
  return {
    prompt: promptWithCamera(request.prompt, request.cameraMovements),
    negativePrompt,
    // ComfyUI answers an unchanged graph from its cache, without a new file.
    seed: request.seed ?? randomInt(2 ** 48 - 1),
    width: size?.width,
    height: size?.height,
    seconds: duration,
    frames: Math.round(duration * fps) + 1,
    firstFrame: first && (await client.upload(firstName, first, signal)),
    lastFrame: last && (await client.upload(lastName, last, signal)),
  }
}
