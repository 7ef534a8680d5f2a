import { readFile } from 'node:fs/promises'
import { readImageHeader } from '#backend/kernel/media/imageFile.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import { pixelSize } from '../pixelSize.ts'
import { promptWithCamera } from '../promptWithCamera.ts'
import { isH3, type Program } from './engineProfile.ts'

/** Short edge of the only size that H3 was trained for. */
const H3_SHORT_EDGE = 768

export const promptOf = ({ prompt, cameraMovements }: RenderRequest): string =>
  promptWithCamera(prompt, cameraMovements)

type Fields = Readonly<Record<string, string | number | boolean | object | Blob | undefined>>
type Frames = Readonly<Record<'first' | 'last', Buffer | undefined>>

/** Builds the body of `POST /v1/videos`. Multipart, because vLLM-Omni accepts nothing else. */
export async function createForm(request: RenderRequest, program: Program): Promise<FormData> {
  const { providerModel, duration, seed } = request
  const frames = { first: await frameOf(request.firstFrame), last: await frameOf(request.lastFrame) }
  const fieldsOf = !isH3(providerModel) ? fieldsOfAny : program === 'sglang' ? fieldsOfH3InSglang : fieldsOfH3
  const fields: Fields = {
    prompt: promptOf(request),
    model: providerModel || undefined,
    seconds: duration,
    seed,
    ...fieldsOf(request, frames),
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) form.set(name, value, 'first.jpg')
    else if (typeof value === 'object') form.set(name, JSON.stringify(value))
    else if (value !== undefined) form.set(name, String(value))
  }
  return form
}

const frameOf = async (path: string | undefined) => (path === undefined ? undefined : readFile(path))

/** The two ways to send pictures exclude each other. */
function fieldsOfAny(request: RenderRequest, { first, last }: Frames): Fields {
  const { resolution, negativePrompt, aspectRatio, sound } = request
  const size = pixelSize(resolution, aspectRatio ?? (first ? readImageHeader(first) : undefined))
  const pictures = last
    ? { image_reference: listOf(first, last) }
    : { input_reference: first && new Blob([new Uint8Array(first)], { type: 'image/jpeg' }) }
  return {
    size: size && `${size.width}x${size.height}`,
    negative_prompt: negativePrompt,
    generate_sound: sound,
    ...pictures,
  }
}

/** vLLM-Omni 0.30: a video from text needs a ratio, and a `size` would render more than the model was trained for. */
const fieldsOfH3 = ({ aspectRatio = '16:9', sound }: RenderRequest, { first, last }: Frames): Fields => ({
  aspect_ratio: aspectRatio,
  short_edge: H3_SHORT_EDGE,
  generate_sound: sound,
  image_reference: first || last ? listOf(first, last) : undefined,
})

/** SGLang 0.5.23: the model's own request, in JSON. It always makes sound. */
function fieldsOfH3InSglang({ aspectRatio = '16:9', duration }: RenderRequest, { first, last }: Frames): Fields {
  const keyframe = (frame: Buffer | undefined, frame_index: number) =>
    frame ? [{ type: 'image', role: 'keyframe', uri: dataUri(frame), frame_index }] : []
  const conditions = [...keyframe(first, 0), ...keyframe(last, -1)]
  const isFromText = conditions.length === 0
  return {
    task: isFromText ? 't2va' : 'fl2va',
    target: {
      short_edge: H3_SHORT_EDGE,
      aspect_ratio: isFromText ? aspectRatio : 'auto',
      duration_seconds: duration,
    },
    conditions: isFromText ? undefined : conditions,
  }
}

const listOf = (...frames: readonly (Buffer | undefined)[]) =>
  frames.filter((frame) => frame !== undefined).map((frame) => ({ image_url: dataUri(frame) }))

const dataUri = (image: Buffer) => `data:image/jpeg;base64,${image.toString('base64')}`
