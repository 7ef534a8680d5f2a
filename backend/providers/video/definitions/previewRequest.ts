import type { Shape } from '#backend/tasks/contract.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import { buildRequest, createCall, requestValues } from './buildRequest.ts'
import type { DefinedModel, Definition } from './definition.ts'

const MASK = '••••'
const PICTURE = 'data:image/jpeg;base64,…'

/** Returns a request for the first shape of a model. */
export function sampleRequest(model: Omit<DefinedModel, 'priceSource'>): RenderRequest {
  const [shape] = model.shapes as [Shape]
  const { resolutions, seconds, taskTypes } = shape
  return {
    taskId: '00000000-0000-7000-8000-000000000000',
    taskType: taskTypes[0]!,
    model: model.id,
    providerModel: model.model ?? model.id,
    resolution: resolutions[0]!,
    duration: 'from' in seconds ? seconds.from : seconds[0]!,
    prompt: 'A cat on a hill at sunset',
    promptOptimizer: true,
    cameraMovements: [],
    firstFrame: undefined,
    lastFrame: undefined,
    references: [],
    aspectRatio: model.aspectRatios[0],
    seed: model.seed ? 7 : undefined,
    negativePrompt: model.negativePrompt ? 'blurred' : undefined,
    sound: model.sound ? true : undefined,
  }
}

/** Returns the HTTP request that would create a job, as text, with the key masked. Sends nothing. */
export function previewRequest(definition: Definition, request: RenderRequest): string {
  const needsPicture = request.taskType === 'image_to_video'
  const frames = { firstFrame: needsPicture ? PICTURE : undefined, lastFrame: undefined, references: [] }
  const values = requestValues(request, frames, definition.webhook && 'https://kinora.example/webhooks/…')
  const call = createCall(definition, request.providerModel)
  const { method, url, headers, body } = buildRequest(definition, call, values, MASK)
  return [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    JSON.stringify(JSON.parse(body ?? 'null'), null, 2),
  ].join('\n')
}
