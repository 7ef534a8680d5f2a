import { readFile } from 'node:fs/promises'
import { readImageFile } from '#backend/kernel/media/imageFile.ts'
import { imageKey } from '#backend/kernel/media/mediaStore.port.ts'
import type { Route } from '#backend/tasks/contract.ts'
import type { VideoTaskOrder } from '#backend/tasks/events.ts'
import { aboutNegativePrompt, aboutPrompt } from '#backend/tasks/promptCipher.port.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'
import type { ActivityDeps } from './taskCommands.ts'

type Reading = Pick<ActivityDeps, 'decrypt' | 'pictureFile' | 'media'>

/** A picture of an order is missing or damaged, so its video cannot be made. */
export class UnreadableImage extends Error {
  override name = 'UnreadableImage'
}

/** The account of the order was deleted, so its video must not be made. */
export class OwnerErased extends Error {
  override name = 'OwnerErased'
}

/**
 * Returns the request of an order to a provider, with decrypted texts and local copies of its images.
 * @throws UnreadableImage, OwnerErased
 */
export async function readRequest(
  { decrypt, ...reading }: Reading,
  order: VideoTaskOrder,
  { model: providerModel }: Pick<Route, 'model'>,
): Promise<RenderRequest> {
  const { taskId, taskType, model, resolution, duration, promptOptimizer, cameraMovements } = order
  const prompt = await decrypt(aboutPrompt(order, taskId), order.encryptedPrompt)
  if (prompt === undefined) throw new OwnerErased('The key of the prompt was destroyed.')
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
    prompt,
    negativePrompt: negative === undefined ? undefined : await decrypt(aboutNegativePrompt(order, taskId), negative),
    firstFrame: firstFrame === null ? undefined : await readableFile(reading, firstFrame),
    lastFrame: lastFrame === undefined ? undefined : await readableFile(reading, lastFrame),
    references: await Promise.all(references.map((image) => readableFile(reading, image))),
    aspectRatio: order.cropped ? undefined : aspectRatio,
    seed,
    sound,
    sourceJob: order.source?.jobId,
    ...(order.join && { join: order.join }),
  }
}

/** Returns the path of a local copy of a picture. @throws UnreadableImage */
async function readableFile({ pictureFile, media }: Omit<Reading, 'decrypt'>, imageId: string): Promise<string> {
  try {
    const file = await pictureFile(imageId)
    const read = readImageFile(await readFile(file))
    // Stored pictures were written by Kinora, so one without an end marker is cut.
    if (read?.end !== undefined && !read.isOpen) return file
  } catch (error) {
    // The media store may only be away.
    if ((await media.size(imageKey(imageId))) !== undefined) throw error
    throw new UnreadableImage(`The image ${imageId} is missing.`, { cause: error })
  }
  throw new UnreadableImage(`The image ${imageId} is damaged.`)
}
