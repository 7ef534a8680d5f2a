import * as z from 'zod/mini'
import { endpoint } from '../../kernel/http/contract.ts'

/** Four statuses only: clients take any other word for the end, or for none. */
const STATUSES = ['queued', 'in_progress', 'completed', 'failed'] as const

export const Video = z.object({
  id: z.string(),
  object: z.literal('video'),
  status: z.enum(STATUSES),
  /** Percent, 0 to 100. */
  progress: z.number(),
  /** Whole seconds since 1970. */
  created_at: z.number(),
  completed_at: z.nullable(z.number()),
  expires_at: z.nullable(z.number()),
  model: z.string(),
  prompt: z.string(),
  /** Text, as in the form of the original. */
  seconds: z.string(),
  size: z.string(),
  remixed_from_video_id: z.nullable(z.string()),
  error: z.nullable(z.object({ code: z.string(), message: z.string() })),
  /** Credits that are held or spent. */
  credits: z.number(),
  /** Its page on the site, for its owner. Engines name the file `url`, and other installations would download it. */
  page_url: z.string(),
})
export type Video = z.infer<typeof Video>

const Model = z.object({
  ...{ id: z.string(), object: z.literal('model'), created: z.number(), owned_by: z.string() },
  /** Every video that can be ordered, with its price. Task types are `T2V` and `I2V`, as SGLang names them. */
  offers: z.array(
    z.object({ task_types: z.array(z.string()), size: z.string(), seconds: z.number(), credits: z.number() }),
  ),
})

const text = (max: number) => z.optional(z.string().check(z.maxLength(max, 'too_long')))
/** Numbers and switches arrive as text in forms. A seed has up to ten digits. */
const Whole = z.optional(
  z.union([z.int(), z.pipe(z.string().check(z.regex(/^\d{1,10}$/)), z.transform(Number))], 'invalid'),
)
const Switch = z.optional(
  z.union(
    [
      z.boolean(),
      z.pipe(
        z.enum(['true', 'false']),
        z.transform((word) => word === 'true'),
      ),
    ],
    'invalid',
  ),
)

/** Fields of an order, in JSON or as the text of a form. Others are ignored. */
export const VideoOrder = z.object({
  model: text(120),
  prompt: z.optional(z.string()),
  /** Must be a length that the model offers. */
  seconds: z.optional(z.union([z.string(), z.number()], 'invalid')),
  /** `WIDTHxHEIGHT`: within a tenth of a size that the model offers. */
  size: text(20),
  resolution: text(40),
  aspect_ratio: text(10),
  seed: Whole,
  negative_prompt: z.optional(z.string()),
  generate_audio: Switch,
  generate_sound: Switch,
  n: Whole,
  /** The order is refused as `price_changed` if it costs more. */
  max_credits: Whole,
})
export type VideoOrder = z.output<typeof VideoOrder>

/** Fields of an extension, in JSON or as the text of a form. */
export const VideoExtension = z.object({
  prompt: z.optional(z.string()),
  seconds: z.optional(z.union([z.string(), z.number()], 'invalid')),
  video: z.optional(z.union([z.string(), z.object({ id: z.string() })], 'invalid')),
  'video[id]': z.optional(z.string()),
  max_credits: Whole,
})

/** An order as it is sent. */
const SentOrder = z.extend(VideoOrder, {
  model: z.string(),
  prompt: z.string(),
  /** First frame: as JSON a `data:` address. */
  input_reference: z.optional(z.object({ image_url: z.string() })),
})

const LIST_MAX = 100

export const createVideo = endpoint('POST /videos', {
  access: 'key',
  scope: 'videos:write',
  form: SentOrder,
  formFile: 'input_reference',
  answer: Video,
  idempotent: true,
  refuses: [
    'insufficient_credits',
    'key_limit_reached',
    'key_model',
    'queue_full',
    'plan_required',
    'price_changed',
    'not_drawable',
    ...['generation_paused', 'model_paused', 'words_blocked'],
  ],
  summary: 'Orders a video, by multipart form or JSON, with a picture in `input_reference`',
})

export const extendVideo = endpoint('POST /videos/extensions', {
  access: 'key',
  scope: 'videos:write',
  form: VideoExtension,
  answer: Video,
  idempotent: true,
  refuses: [
    ...[
      'insufficient_credits',
      'key_limit_reached',
      'key_model',
      'queue_full',
      'plan_required',
      'price_changed',
      'not_drawable',
    ],
    ...['not_found', 'video_not_ready'],
    ...['generation_paused', 'model_paused', 'words_blocked'],
  ],
  summary: 'Orders a video that begins with the last frame of a finished one, with the same model and resolution',
})

export const listVideos = endpoint('GET /videos', {
  access: 'key',
  scope: 'videos:read',
  query: z.object({
    after: text(100),
    limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(LIST_MAX)), 20),
    order: z._default(z.enum(['asc', 'desc']), 'desc'),
  }),
  answer: z.object({
    object: z.literal('list'),
    data: z.array(Video),
    first_id: z.nullable(z.string()),
    last_id: z.nullable(z.string()),
    has_more: z.boolean(),
  }),
  summary: 'Lists videos. `after` is the last id of the page before',
})

export const readVideo = endpoint('GET /videos/:id', {
  access: 'key',
  scope: 'videos:read',
  answer: Video,
  summary: 'A video',
})

export const readContent = endpoint('GET /videos/:id/content', {
  access: 'key',
  scope: 'videos:read',
  query: z.object({ variant: z._default(z.enum(['video', 'thumbnail'], 'invalid_choice'), 'video') }),
  file: 'video/mp4',
  refuses: ['video_not_ready'],
  summary: 'The finished video, or its still, by the rules of a download; supports ranges',
})

export const deleteVideo = endpoint('DELETE /videos/:id', {
  access: 'key',
  scope: 'videos:write',
  answer: z.object({ id: z.string(), object: z.literal('video.deleted'), deleted: z.boolean() }),
  refuses: ['video_in_progress'],
  summary: 'Deletes a video; cancels an unfinished one first, where the engine can',
})

export const listModels = endpoint('GET /models', {
  access: 'key',
  scope: 'videos:read',
  answer: z.object({ object: z.literal('list'), data: z.array(Model) }),
  summary: 'The models that the key may order',
})

export const readModel = endpoint('GET /models/:id', {
  access: 'key',
  scope: 'videos:read',
  answer: Model,
  summary: 'A model',
})
