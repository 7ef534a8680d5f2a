import { readFile } from 'node:fs/promises'
import { readImageHeader } from '#backend/kernel/media/imageFile.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import { pixelSize } from '../pixelSize.ts'
import { promptWithCamera } from '../promptWithCamera.ts'

/** Models that take first and last frame as a list, and the short edge besides the size. */
export const isH3 = (model: string) => /\bh3\b/i.test(model)

export const promptOf = ({ prompt, cameraMovements }: RenderRequest): string =>
  promptWithCamera(prompt, cameraMovements)

/** Builds the body of `POST /v1/videos`. Multipart, because vLLM-Omni accepts nothing else. */
export async function createForm(request: RenderRequest): Promise<FormData> {
  const { providerModel, resolution, duration, seed, negativePrompt, aspectRatio, sound } = request
  const first = request.firstFrame && (await readFile(request.firstFrame))
  const last = request.lastFrame && (await readFile(request.lastFrame))
  const size = pixelSize(resolution, aspectRatio ?? (first ? readImageHeader(first) : undefined))
  const form = new FormData()
  const fields: Readonly<Record<string, unknown>> = {
    prompt: promptOf(request),
    model: providerModel || undefined,
    seconds: duration,
    size: size && `${size.width}x${size.height}`,
    seed,
    negative_prompt: negativePrompt,
    generate_sound: sound,
    ...(isH3(providerModel)
      ? { aspect_ratio: aspectRatio, short_edge: size && Math.min(size.width, size.height) }
      : {}),
  }
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, String(value))
  // The two ways to send pictures exclude each other.
  if (last || (first && isH3(providerModel))) {
    const frames = [first, last].filter((frame) => frame !== undefined).map(dataUri)
    form.set('image_reference', JSON.stringify(frames.map((image_url) => ({ image_url }))))
  } else if (first) {
    form.set('input_reference', new Blob([first], { type: 'image/jpeg' }), 'first.jpg')
  }
  return form
}

const dataUri = (image: Buffer | string) => `data:image/jpeg;base64,${image.toString('base64')}`
