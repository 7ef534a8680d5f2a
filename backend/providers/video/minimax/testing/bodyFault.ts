/** The documented body of `POST /v1/video_generation`. */
export interface CreateBody {
  readonly model: string
  readonly prompt: string
  readonly prompt_optimizer?: boolean
  readonly duration?: number
  readonly resolution?: string
  readonly first_frame_image?: string
  readonly callback_url?: string
}

const HAILUO = 'MiniMax-Hailuo-02'
const HAILUO_23 = ['MiniMax-Hailuo-2.3', 'MiniMax-Hailuo-2.3-Fast']
const MODELS = [HAILUO, ...HAILUO_23, 'T2V-01-Director', 'I2V-01-Director', 'I2V-01-live']
const KNOWN = ['model', 'prompt', 'prompt_optimizer', 'duration', 'resolution', 'first_frame_image', 'callback_url']

/** Returns MiniMax's documented error code for an invalid body, or undefined if the body is valid. */
export function bodyFault(body: CreateBody): 2013 | undefined {
  const { model, prompt, duration, resolution, first_frame_image: image } = body
  const isImage = model.startsWith('I2V') || (model === HAILUO && image !== undefined)
  const shape = `${duration} ${resolution}`
  const isFast = model === HAILUO_23[1]
  const has512 = isImage && model === HAILUO
  const shapes = ['6 768P', '10 768P', '6 1080P', ...(has512 ? ['6 512P', '10 512P'] : [])]
  const wellFormed =
    MODELS.includes(model) &&
    Object.keys(body).every((name) => KNOWN.includes(name)) &&
    prompt.length <= 2000 &&
    (model.startsWith('MiniMax-') ? shapes.includes(shape) : duration === undefined && resolution === undefined) &&
    (!(model.startsWith('I2V') || isFast) || image !== undefined) &&
    (image === undefined || /^data:image\/jpeg;base64,[A-Za-z0-9+/]+=*$/.test(image)) &&
    [...prompt.matchAll(/\[([^\]]*)\]/g)].every(([, list]) => list!.split(',').length <= 3)
  return wellFormed ? undefined : 2013
}
