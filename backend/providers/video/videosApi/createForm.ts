import { readFile } from 'node:fs/promises'
import { readImageHeader } from '#backend/kernel/media/imageFile.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import { pixelSize } from '../pixelSize.ts'
import { promptWithCamera } from '../promptWithCamera.ts'
import { ProviderError } from '../providerError.ts'
import { requiredPrompt } from '../requiredPrompt.ts'
import { isH3, type Program } from './engineProfile.ts'

/** Short edge of the only size that H3 was trained for. */
const H3_SHORT_EDGE = 768

export const promptOf = ({ prompt, cameraMovements }: RenderRequest): string =>
  promptWithCamera(requiredPrompt(prompt), cameraMovements)

type Fields = Readonly<Record<string, string | number | boolean | object | Blob | undefined>>
interface Pictures {
  readonly first: Buffer | undefined
  readonly last: Buffer | undefined
  readonly references: readonly Buffer[]
}

/**
 * Builds the body of `POST /v1/videos`. Multipart, because vLLM-Omni accepts nothing else.
 * @throws ProviderError invalid_request if the engine cannot take the pictures together
 */
export async function createForm(request: RenderRequest, program: Program): Promise<FormData> {
  const { providerModel, duration, seed } = request
  const pictures = {
    first: await pictureOf(request.firstFrame),
    last: await pictureOf(request.lastFrame),
    references: await Promise.all(request.references.map((path) => readFile(path))),
  }
  const fieldsOf = !isH3(providerModel) ? fieldsOfAny : program === 'sglang' ? fieldsOfH3InSglang : fieldsOfH3
  const fields: Fields = {
    prompt: promptOf(request),
    model: providerModel || undefined,
    seconds: duration,
    seed,
    ...fieldsOf(request, pictures),
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) form.set(name, value, 'first.jpg')
    else if (typeof value === 'object') form.set(name, JSON.stringify(value))
    else if (value !== undefined) form.set(name, String(value))
  }
  return form
}

const pictureOf = async (path: string | undefined) => (path === undefined ? undefined : readFile(path))

/** The two ways to send pictures exclude each other. */
function fieldsOfAny(request: RenderRequest, { first, last }: Pictures): Fields {
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
function fieldsOfH3({ aspectRatio = '16:9', sound }: RenderRequest, { first, last, references }: Pictures): Fields {
  const hasReferences = references.length > 0
  if (hasReferences && (first || last))
    throw new ProviderError('invalid_request', 'References and frames together are not supported by vLLM-Omni.')
  const pictures = hasReferences ? listOf(...references) : listOf(first, last)
  return {
    aspect_ratio: aspectRatio,
    short_edge: H3_SHORT_EDGE,
    generate_sound: sound,
    image_reference: pictures.length > 0 ? pictures : undefined,
    // Without it, the pictures would be the first and the last frame.
    extra_params: hasReferences ? { task: 'ref2va' } : undefined,
  }
}

/** SGLang 0.5.23: the model's own request, in JSON. It always makes sound. */
function fieldsOfH3InSglang(request: RenderRequest, { first, last, references }: Pictures): Fields {
  const { aspectRatio = '16:9', duration } = request
  const keyframe = (frame: Buffer | undefined, frame_index: number) =>
    frame ? [{ type: 'image', role: 'keyframe', uri: dataUri(frame), frame_index }] : []
  const keyframes = [...keyframe(first, 0), ...keyframe(last, -1)]
  const referred = references.map((picture) => ({ type: 'image', role: 'reference', uri: dataUri(picture) }))
  const conditions = [...keyframes, ...referred]
  return {
    task: referred.length > 0 ? 'ref2va' : keyframes.length > 0 ? 'fl2va' : 't2va',
    target: {
      short_edge: H3_SHORT_EDGE,
      aspect_ratio: keyframes.length > 0 ? 'auto' : aspectRatio,
      duration_seconds: duration,
    },
    conditions: conditions.length > 0 ? conditions : undefined,
  }
}

const listOf = (...frames: readonly (Buffer | undefined)[]) =>
  frames.filter((frame) => frame !== undefined).map((frame) => ({ image_url: dataUri(frame) }))

const dataUri = (image: Buffer) => `data:image/jpeg;base64,${image.toString('base64')}`
