import * as z from 'zod/mini'
import { endpoint } from '../../kernel/http/contract.ts'
import { CAMERA_MOVEMENT_VALUES, FILM_TYPES } from '../catalogue/models.contract.ts'

export const Share = z.object({
  /** Address of the public page. */
  url: z.string(),
  show_prompt: z.boolean(),
  show_name: z.boolean(),
  /** Times that a browser opened the page. */
  views: z.number(),
})
export type Share = z.infer<typeof Share>

export const shareTask = endpoint('POST /videos/tasks/:id/share', {
  access: 'user',
  unlessSuspended: true,
  body: z._default(z.object({ show_prompt: z.optional(z.boolean()), show_name: z.optional(z.boolean()) }), {}),
  answer: Share,
  status: 201,
  refuses: ['forbidden', 'share_removed'],
  summary: 'Gives a finished video a public page, or changes what the page shows; a shared video keeps its address',
})

export const getShare = endpoint('GET /videos/tasks/:id/share', {
  access: 'user',
  answer: z.object({
    share: z.nullable(Share),
    /** Why operators removed the public page, if they did. */
    removed: z.optional(z.string()),
  }),
  refuses: ['forbidden'],
  summary: 'The public page of a video and its views; null if the video is not shared',
})

export const endShare = endpoint('DELETE /videos/tasks/:id/share', {
  access: 'user',
  refuses: ['forbidden'],
  status: 204,
  summary: 'Removes the public page of a video; sharing the video again gives it another address',
})

export const countShareView = endpoint('POST /shares/:id/views', {
  access: 'public',
  refuses: ['not_found', 'too_many_requests'],
  status: 204,
  summary: 'Counts a view of a public page, once per network address in half an hour',
})

/** What is wrong with a film, in the eyes of a visitor. */
export const REPORT_REASONS = ['sexual', 'minors', 'violence', 'hate', 'person', 'copyright', 'other'] as const

export const reportShare = endpoint('POST /shares/:id/report', {
  access: 'public',
  body: z.object({ reason: z.enum(REPORT_REASONS, 'required') }),
  refuses: ['not_found', 'too_many_requests'],
  status: 204,
  summary: 'Reports the film of a public page to the operators; needs no account',
})

/** What a public page shows of a video. Addresses are paths. */
export const SharedVideo = z.object({
  id: z.string(),
  /** Null unless the owner shows it. */
  prompt: z.nullable(z.string()),
  /** Name of the owner; null unless the owner shows it. */
  name: z.nullable(z.string()),
  video_url: z.string(),
  poster_url: z.string(),
  /** Pixels. */
  width: z.number(),
  height: z.number(),
  /** Seconds. */
  video_duration: z.number(),
  created_at: z.string(),
  task_type: z.enum(FILM_TYPES),
  /** The ordered model, for a film like this one. */
  model: z.string(),
  /** What made the film, as in a task. */
  engine: z.nullable(z.string()),
  engine_model: z.nullable(z.string()),
  resolution: z.string(),
  /** Seconds. */
  duration: z.number(),
  prompt_optimizer: z.boolean(),
  /** Empty unless the owner shows the prompt, of which the movements are a part. */
  camera_movements: z.array(z.enum(CAMERA_MOVEMENT_VALUES)),
  aspect_ratio: z.nullable(z.string()),
  /** Null unless the owner shows the prompt, without which the seed gives another video. */
  seed: z.nullable(z.int()),
  /** Address for reports; empty if there is none. */
  support_email: z.string(),
})
export type SharedVideo = z.infer<typeof SharedVideo>
