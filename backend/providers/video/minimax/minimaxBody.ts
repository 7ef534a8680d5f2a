import { readFile } from 'node:fs/promises'
import { PROMPT_MAX } from '#backend/tasks/contract.ts'
import type { RenderRequest } from '#backend/tasks/videoProvider.port.ts'

/** The model that takes a duration and a resolution; all others have one shape and refuse both. */
const SHAPED = 'MiniMax-Hailuo-02'

/** The body of `POST /v1/video_generation`. */
export async function minimaxBody(
  { model, duration, resolution, promptOptimizer, firstFrame, ...request }: RenderRequest,
  callbackUrl: string | undefined,
): Promise<Record<string, unknown>> {
  return {
    model,
    prompt: promptOf(request),
    prompt_optimizer: promptOptimizer,
    ...(model === SHAPED ? { duration, resolution } : {}),
    ...(firstFrame ? { first_frame_image: `data:image/jpeg;base64,${await readFile(firstFrame, 'base64')}` } : {}),
    ...(callbackUrl ? { callback_url: callbackUrl } : {}),
  }
}

/** Movements stand before the prompt in square brackets: `[左移,上升]`. Together no longer than the provider takes. */
function promptOf({ prompt, cameraMovements }: Pick<RenderRequest, 'prompt' | 'cameraMovements'>): string {
  const list = cameraMovements.length > 0 ? `[${cameraMovements.join(',')}] ` : ''
  const whole = `${list}${prompt}`
  // Cut between characters, never inside one.
  return whole.length <= PROMPT_MAX ? whole : whole.slice(0, PROMPT_MAX).replace(/[\uD800-\uDBFF]$/, '')
}
