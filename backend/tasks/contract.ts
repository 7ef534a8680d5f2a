import * as z from 'zod/mini'
import { endpoint, paging } from '../kernel/http/contract.ts'
import type { CropEdges } from '../kernel/media/contract.ts'
import { Generation, Prompt } from './catalogue/generation.contract.ts'
import { CAMERA_MOVEMENT_VALUES, FILM_TYPES, TASK_TYPES } from './catalogue/models.contract.ts'
import { JoinBody, ORIGINS } from './library/join.contract.ts'
import { FolderName } from './library/library.contract.ts'

export * from './catalogue/generation.contract.ts'
export * from './catalogue/maker.contract.ts'
export * from './catalogue/models.contract.ts'
export * from './library/join.contract.ts'
export * from './library/library.contract.ts'
export * from './shares/shares.contract.ts'
export * from './templates/templates.contract.ts'
export * from './uploads/pictures.contract.ts'

export const TASK_STATUSES = ['Preparing', 'Queueing', 'Processing', 'DOWNLOADING', 'Success', 'Fail'] as const
export const TaskStatus = z.enum(TASK_STATUSES)
export type TaskStatus = z.infer<typeof TaskStatus>

/** Reasons why a task failed. The catalogues contain a message for each under `failures.<code>`. */
export const FAILURE_CODES = [
  'cancelled',
  'content_refused',
  'image_unreadable',
  'clip_missing',
  'provider_failed',
  'provider_unavailable',
  'engine_out_of_memory',
  'settings_refused',
  'length_refused',
  'size_refused',
  'model_not_ready',
  'answer_lost',
  'render_timed_out',
  'waited_too_long',
  'internal',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

/** Who sees a film: who made it, or everyone in the team. */
const Visibility = z.enum(['private', 'team'], 'invalid_choice')
export type Visibility = z.infer<typeof Visibility>

export const Task = z.object({
  id: z.string(),
  /** Path of its page on the site, for its owner. */
  url: z.string(),
  task_type: z.enum(FILM_TYPES),
  status: TaskStatus,
  /** Id of the catalogue model that was ordered. */
  model: z.string(),
  /** What makes the video: `demo`, `minimax`, `videos_api`, `comfyui` or the name of a provider. Null until it is asked. */
  engine: z.nullable(z.string()),
  /** The engine's own name of its model. */
  engine_model: z.nullable(z.string()),
  /** Seconds. */
  duration: z.number(),
  resolution: z.string(),
  prompt: z.string(),
  camera_movements: z.array(z.enum(CAMERA_MOVEMENT_VALUES)),
  prompt_optimizer: z.boolean(),
  first_frame_image_url: z.nullable(z.string()),
  last_frame_image_url: z.nullable(z.string()),
  reference_image_urls: z.array(z.string()),
  /** The provider's default if null, as are the next three. */
  aspect_ratio: z.nullable(z.string()),
  seed: z.nullable(z.number()),
  negative_prompt: z.nullable(z.string()),
  sound: z.nullable(z.boolean()),
  video_url: z.nullable(z.string()),
  thumbnail_url: z.nullable(z.string()),
  /** The picture so far, while the video renders and if the engine shows it. */
  live_frame_url: z.nullable(z.string()),
  /** Seconds. */
  video_duration: z.nullable(z.number()),
  /** Bytes. */
  file_size: z.nullable(z.number()),
  /** Price of an open or successful task; 0 once its credits are released. */
  credits_consumed: z.number(),
  created_at: z.string(),
  /** Films that it was made from, some of which may be deleted. Seconds: the part of a clip. */
  made_from: z.array(
    z.object({ id: z.string(), how: z.enum(ORIGINS), start: z.optional(z.number()), end: z.optional(z.number()) }),
  ),
  error_code: z.nullable(z.enum(FAILURE_CODES)),
  error_message: z.nullable(z.string()),
  /** Rendering progress in percent; null unless the status is `Processing`. */
  progress: z.nullable(z.number()),
  /** The team that paid; null if who made the film did. */
  team_id: z.nullable(z.string()),
  visibility: Visibility,
  /** Who made the film; null if the caller did. */
  by: z.nullable(z.object({ id: z.string(), name: z.string() })),
})
export type Task = z.infer<typeof Task>

export const lineage = endpoint('GET /videos/tasks/:id/lineage', {
  access: 'user',
  scope: 'videos:read',
  answer: z.object({
    /** The film, those that it descends from, and all that were made from those, up to 100. `made_from` connects them. */
    films: z.array(Task),
  }),
  refuses: ['not_found', 'forbidden'],
  summary: 'The family of a film: those that it was made from, and those that were made from it or from them',
})

export const generate = endpoint('POST /videos/generate', {
  access: 'user',
  unlessSuspended: true,
  scope: 'videos:write',
  body: Generation,
  answer: z.object({ task: Task }),
  status: 202,
  idempotent: true,
  refuses: [
    ...['not_found', 'insufficient_credits', 'queue_full', 'plan_required', 'price_changed', 'not_drawable'],
    ...['key_limit_reached', 'key_model', 'member_limit_reached', 'not_in_team', 'key_team'],
    ...['generation_paused', 'model_paused', 'words_blocked'],
    ...['idempotency_key_reused', 'idempotency_in_progress'],
  ],
  summary:
    'Holds the credits and starts a task; safe to retry with the same Idempotency-Key. 409 `price_changed`, with the ' +
    'price in `credits`, if that is not `expected_credits`',
})

export const understand = endpoint('POST /videos/understand', {
  access: 'visitor',
  scope: 'videos:read',
  body: z.object({
    prompt: Prompt,
    /** The first model of the catalogue by default. */
    model: z.optional(z.string().check(z.maxLength(120, 'unknown_model'))),
    /** Language of the labels; by default that of the user, or of the prompt. */
    language: z.optional(z.enum(['en', 'zh'])),
  }),
  answer: z.object({
    /** The things and actions of the prompt in order. Empty if the engine draws anything. */
    words: z.array(
      z.object({
        text: z.string(),
        start: z.number(),
        end: z.number(),
        /** `drawn_as`: something else is drawn, which the label names. */
        as: z.enum(['drawn', 'drawn_as', 'missing']),
        /** What is drawn; absent if it is the word itself. */
        label: z.optional(z.string()),
      }),
    ),
    /** What the video will show. */
    drawn: z.array(z.string()),
    /** Words of the prompt that the video will not show. */
    missing: z.array(z.string()),
    /** Whether it is enough to be ordered. Otherwise, an order is refused with `not_drawable`. */
    enough: z.boolean(),
  }),
  status: 200,
  summary: 'What the engine would draw of a prompt, and what it would leave out; starts nothing, and needs no session',
})

export const joinVideos = endpoint('POST /videos/join', {
  access: 'user',
  unlessSuspended: true,
  body: JoinBody,
  answer: z.object({ task: Task }),
  status: 202,
  idempotent: true,
  refuses: [
    ...['not_found', 'forbidden', 'queue_full', 'generation_paused', 'words_blocked'],
    ...['idempotency_key_reused', 'idempotency_in_progress'],
  ],
  summary:
    "Joins parts of the user's finished videos to one, in the size of the first; costs nothing. The answer is a task like that of a generation",
})

export const listTasks = endpoint('GET /videos/tasks', {
  access: 'user',
  scope: 'videos:read',
  query: z.object({ ...paging(20), status_filter: z.optional(TaskStatus) }),
  answer: z.object({ tasks: z.array(Task), total: z.number() }),
  summary: "The user's tasks, newest first",
})

/** An ISO 8601 date, or a date-time with a UTC offset. */
const Moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'unknown_date')
  .check(z.refine((text) => isStorable(new Date(text).getUTCFullYear()), 'unknown_date'))
/** Years that remain valid in Postgres and JavaScript when a day or a UTC offset is added. */
const isStorable = (year: number) => year >= 1970 && year < 9_999

/** Filter and page of a user's finished videos. */
export const WorksQuery = z.object({
  ...paging(20),
  task_type: z.optional(z.enum(FILM_TYPES, 'unknown_task_type')),
  model: z.optional(z.string().check(z.maxLength(120, 'unknown_model'))),
  /** Earliest creation time, inclusive. A date means the start of that day in UTC. */
  from: z.optional(Moment),
  /** Latest creation time, inclusive. A date means the end of that day in UTC. */
  to: z.optional(Moment),
  /** Text to search for in the description, ignoring case. */
  q: z.optional(z.string().check(z.trim(), z.maxLength(200, 'search_too_long'))),
  favourites: z.optional(z.literal('true', 'invalid')),
  folder: z.optional(FolderName),
  /** `team`: what the others of the user's teams show, and what the user shows them. Favourites and folders are of `mine`. */
  library: z._default(z.enum(['mine', 'team'], 'invalid_choice'), 'mine'),
})

export const myWorks = endpoint('GET /videos/my-works', {
  access: 'user',
  scope: 'videos:read',
  query: WorksQuery,
  answer: z.object({ tasks: z.array(Task), total: z.number() }),
  summary:
    "The user's finished videos, newest first, by mode, model, date (from, to), part of the description (q), favourites and folder",
})

export const setVisibility = endpoint('POST /videos/tasks/:id/visibility', {
  access: 'user',
  body: z.object({ visibility: Visibility }),
  refuses: ['forbidden', 'not_in_team'],
  status: 204,
  summary:
    'Shows a film to the team, or to who made it alone. A film that the team paid for is also shown to its owner once its maker has left',
})

export const getTask = endpoint('GET /videos/tasks/:id', {
  access: 'user',
  scope: 'videos:read',
  answer: Task,
  refuses: ['forbidden'],
  summary: 'One task',
})

export const cancelTask = endpoint('POST /videos/tasks/:id/cancel', {
  access: 'user',
  scope: 'videos:write',
  answer: z.object({ task: Task }),
  status: 202,
  refuses: ['forbidden', 'cannot_cancel'],
  summary: 'Cancels an unfinished task, which then ends as Fail and costs nothing; 409 where the engine cannot',
})

const deletion = <const Path extends string>(path: Path) => {
  const summary = 'Deletes a finished task; cancels a waiting one first and releases its credits'
  const refuses = ['forbidden', 'task_in_progress']
  return endpoint(`DELETE ${path}`, { access: 'user', scope: 'videos:write', refuses, status: 204, summary })
}
export const deleteTask = deletion('/videos/tasks/:id')
export const deleteTaskAlias = deletion('/videos/task/:id')

export const Queue = z.object({
  global_queue: z.number(),
  user_queue_position: z.nullable(z.number()),
  user_in_progress: z.number(),
  user_limit: z.number(),
  /** The user's open tasks. `position` is 1-based and null while rendering; `seconds_left` is an estimate. */
  tasks: z.array(z.object({ id: z.string(), position: z.nullable(z.number()), seconds_left: z.number() })),
})
export const getQueue = endpoint('GET /videos/queue', {
  access: 'user',
  scope: 'videos:read',
  answer: Queue,
  summary: "How many tasks wait, the user's position, and an estimate of the time left",
})

const Cost = z.object({
  task_types: z.array(z.enum(TASK_TYPES)),
  resolution: z.string(),
  duration: z.number(),
  credits: z.number(),
})
const Bilingual = z.object({ en: z.string(), zh: z.string() })
export const ModelView = z.object({
  /** Id of the catalogue model. */
  name: z.string(),
  display_names: Bilingual,
  descriptions: Bilingual,
  supports_camera_movement: z.boolean(),
  supports_text_to_video: z.boolean(),
  supports_image_to_video: z.boolean(),
  durations: z.array(z.number()),
  resolutions: z.array(z.string()),
  costs: z.array(Cost),
  /** Empty where the model has one ratio only. Its videos can be cut to the `cropped_ratios`. */
  aspect_ratios: z.array(z.string()),
  cropped_ratios: z.array(z.string()),
  supports_last_frame: z.boolean(),
  /** Maximum number of reference images. */
  max_references: z.number(),
  supports_sound: z.boolean(),
  supports_seed: z.boolean(),
  supports_negative_prompt: z.boolean(),
  /** Whether a running task can be cancelled. */
  supports_cancel: z.boolean(),
  /** What can make its videos, as in `engine` of a task, best first. */
  engines: z.array(z.string()),
  /** Resolution in which a finished video can be made again from itself; null where it cannot. */
  regenerates_to: z.nullable(z.string()),
})
export type ModelView = z.infer<typeof ModelView>

export const WorkStats = z.object({
  total_videos: z.number(),
  /** Seconds. */
  total_duration: z.number(),
  /** Bytes. */
  storage_used: z.number(),
  credits_remaining: z.number(),
  credits_used: z.number(),
  /** Credits spent since the start of the current month in UTC. */
  usage_this_month: z.number(),
})
export type WorkStats = z.infer<typeof WorkStats>

export const workStats = endpoint('GET /videos/stats', {
  access: 'user',
  scope: 'videos:read',
  answer: WorkStats,
  summary: "Figures about the user's videos and credits",
})

export const listModels = endpoint('GET /videos/models', {
  access: 'public',
  answer: z.array(ModelView),
  summary: 'The models, their configurations and prices',
})

const media = <const Path extends string>(path: Path, file: string, summary: string) =>
  endpoint(`GET ${path}`, { access: 'user', scope: 'videos:read', file, refuses: ['forbidden'], summary })
export const preview = media('/videos/preview/:id', 'video/mp4', 'Streams the video to its owner; supports ranges')
export const thumbnail = media('/videos/thumbnail/:id', 'image/jpeg', 'A still of the video, for its owner only')
export const liveFrame = endpoint('GET /videos/tasks/:id/frame', {
  access: 'user',
  scope: 'videos:read',
  query: z.object({
    /** Progress at which the frame was made: a new frame has a new address. */
    at: z.optional(z.string()),
  }),
  file: 'image/jpeg',
  refuses: ['forbidden'],
  summary: 'The picture so far of a running render, for its owner only, where the engine shows one',
})
export const firstFrame = media('/videos/images/:id', 'image/jpeg', 'An uploaded picture, for its owner only')
export const download = endpoint('GET /videos/download/:id', {
  access: 'user',
  scope: 'videos:read',
  query: z.object({ watermark: z.optional(z.enum(['true', 'false'])), label: z.optional(z.enum(['true', 'false'])) }),
  file: 'video/mp4',
  refuses: ['forbidden', 'label_required'],
  summary:
    'The video as a file, with a watermark if the plan or the query requires it, and with a visible label that AI made ' +
    'it (VIDEO_LABEL); label=false needs a recorded request',
})
/** China's labelling measures, article 9. */
export const requestUnlabelled = endpoint('POST /videos/tasks/:id/unlabelled', {
  access: 'user',
  body: z.object({ accepted: z.literal(true, 'required') }),
  refuses: ['forbidden'],
  status: 204,
  summary: 'Records that the user accepts the responsibility for a copy without the visible label; kept for six months',
})

const FRACTION = '(?:0(?:\\.\\d{1,9})?|1(?:\\.0{1,9})?)'
const EDGES = new RegExp(`^${FRACTION}(?:,${FRACTION}){3}$`)
const edgesOf = (text: string): CropEdges => {
  const [left = 0, top = 0, right = 0, bottom = 0] = text.split(',').map(Number)
  return { left, top, right, bottom }
}
const isOrdered = ({ left, top, right, bottom }: CropEdges) => left < right && top < bottom

/** Part of the upright picture to keep, as `left,top,right,bottom`, each a fraction of its width or height. */
const CropField = z.pipe(
  z.string('invalid_crop').check(
    z.regex(EDGES, { error: 'invalid_crop', abort: true }),
    z.refine((text) => isOrdered(edgesOf(text)), 'invalid_crop'),
  ),
  z.transform(edgesOf),
)
export const UploadFields = z.object({ crop: z.optional(CropField) })

/** Takes a multipart body with the image in the field `file`, so the endpoint declares no JSON schema. */
export const uploadImage = endpoint('POST /videos/upload-image', {
  access: 'user',
  unlessSuspended: true,
  scope: 'videos:write',
  answer: z.object({ image_url: z.string() }),
  upload: ['image/jpeg', 'image/png'],
  fields: UploadFields,
  refuses: [
    ...['invalid_file_type', 'image_too_small', 'image_too_large', 'image_aspect_ratio', 'image_damaged'],
    ...['upload_running', 'uploads_busy', 'image_timeout', 'too_many_uploads', 'too_many_unused_images', 'not_found'],
  ],
  summary:
    'Stores a first-frame image: JPG or PNG, at most 20 MB. `crop` keeps a part of the upright image: ' +
    '`left,top,right,bottom` as fractions of its width and height',
})
/** Lets a user go on from where a video ends. Counts as an upload. */
export const lastFrame = endpoint('POST /videos/tasks/:id/last-frame', {
  access: 'user',
  unlessSuspended: true,
  scope: 'videos:write',
  answer: z.object({ image_url: z.string() }),
  status: 201,
  refuses: ['forbidden', 'upload_running', 'uploads_busy', 'too_many_uploads', 'too_many_unused_images'],
  summary: "Stores the last frame of a finished video as the user's image, for the first frame of another video",
})

/** A message that the server sends over the WebSocket. */
export type RealtimeMessage =
  | { readonly type: 'task_update'; readonly task: Task }
  | { readonly type: 'task_deleted'; readonly id: string }
  | { readonly type: 'credits_update'; readonly remaining: number; readonly total: number }
  /** The balance of a team that the user is a member of. */
  | { readonly type: 'team_credits_update'; readonly id: string; readonly remaining: number }
  | { readonly type: 'notification'; readonly level: 'info' | 'warning' | 'error'; readonly message: string }
  | { readonly type: 'pong' }

/** WebSocket close code for an invalid token. Clients connect to `/api/v1/ws?token=…`. */
export const SOCKET_UNAUTHENTICATED = 4001
export const socketToken = endpoint('POST /ws/token', {
  access: 'user',
  answer: z.object({ token: z.string() }),
  summary: 'A single-use token for the WebSocket, valid for 60 seconds',
})
