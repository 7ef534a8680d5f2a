import type { Route } from '#backend/tasks/contract.ts'
import type { VideoTaskOrder } from '#backend/tasks/events.ts'
import { aboutNegativePrompt, aboutPrompt } from '#backend/tasks/promptCipher.port.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import type { ActivityDeps } from './taskCommands.ts'

type Reading = Pick<ActivityDeps, 'decrypt' | 'pictureFile'>

/** Returns the request of an order to a provider, with decrypted texts and local copies of its images. */
export async function readRequest(
  { decrypt, pictureFile }: Reading,
  order: VideoTaskOrder,
  { model: providerModel }: Pick<Route, 'model'>,
): Promise<RenderRequest> {
  const { taskId, userId, taskType, model, resolution, duration, promptOptimizer, cameraMovements } = order
  const { firstFrame, lastFrame, references = [], aspectRatio, seed, sound, encryptedNegativePrompt: negative } = order
  return {
    taskId,
    taskType,
    model,
    providerModel,
    resolution,
    duration,
    promptOptimizer,
    cameraMovements,
    prompt: (await decrypt(aboutPrompt(userId, taskId), order.encryptedPrompt)) ?? '',
    negativePrompt: negative === undefined ? undefined : await decrypt(aboutNegativePrompt(userId, taskId), negative),
    firstFrame: firstFrame === null ? undefined : await pictureFile(firstFrame),
    lastFrame: lastFrame === undefined ? undefined : await pictureFile(lastFrame),
    references: await Promise.all(references.map((image) => pictureFile(image))),
    aspectRatio,
    seed,
    sound,
    sourceJob: order.source?.jobId,
  }
}
