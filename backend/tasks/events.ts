import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { EventSchemas } from '../kernel/eventsourcing/pure/eventSchemas.ts'
import type {
  CameraMovement,
  Configuration,
  FailureCode,
  KnownMaker,
  Maker,
  RENDERER_MODEL as Renderer,
  Route,
  Shape,
} from './contract.ts'

/**
 * Parameters of a task. The prompt is encrypted with the key of its user, or of the team that pays, and becomes unreadable once
 * the key is erased.
 */
export interface VideoTaskOrder extends Configuration {
  readonly taskId: string
  readonly userId: string
  /** Owner of the credits, if that is not the user: the owner of the team. */
  readonly payerId?: string
  /** The team that pays. */
  readonly teamId?: string
  /** The team that sees the film. */
  readonly shownTo?: string
  /** AES-256-GCM ciphertext, encoded as base64. */
  readonly encryptedPrompt: string
  readonly cameraMovements: readonly CameraMovement[]
  readonly promptOptimizer: boolean
  /** Id of the uploaded image; null for text-to-video. */
  readonly firstFrame: string | null
  /** Id of the uploaded image with which the video ends. */
  readonly lastFrame?: string
  /** Ids of uploaded images. */
  readonly references?: readonly string[]
  readonly aspectRatio?: string
  /** The engine knows no ratios, so the video is cut to `aspectRatio`. */
  readonly cropped?: true
  readonly seed?: number
  /** AES-256-GCM ciphertext, encoded as base64. */
  readonly encryptedNegativePrompt?: string
  readonly sound?: boolean
  /** The finished task whose video is made again, and its job. The provider of the job is the only route. */
  readonly source?: { readonly taskId: string; readonly jobId: string }
  /** The film that this one is another take, the continuation or a remix of. */
  readonly from?: { readonly taskId: string; readonly as: 'take' | 'extend' | 'remix' }
  /** The parts of finished tasks that a joined film consists of, in seconds. Its title is its prompt. */
  readonly join?: Readonly<{ clips: readonly JoinedClip[]; fade: number }>
  /** Version of the catalogue entry. */
  readonly modelVersion: string
  /** The shape of that version which prices the configuration. */
  readonly shape: Shape
  /** Configured providers of the model, tried in this order. */
  readonly routes: readonly Route[]
  /** Credits held for the task. */
  readonly credits: number
  /** Scheduling priority, from 1 (served first) to 4. */
  readonly priority: number
}

export type JoinedClip = Readonly<{ taskId: string; start: number; end: number }>

/** Returns whose credits, plan and render lane a task uses. */
export const payerOf = ({ userId, payerId = userId }: Pick<VideoTaskOrder, 'userId' | 'payerId'>): string => payerId

/** Name of the built-in renderer, as in the contract: events import types alone. */
const RENDERER_MODEL: typeof Renderer = 'Kinora demo'
export const UNKNOWN_MAKER: Maker = { engine: null, engine_model: null }

/** Returns what makes the films of a provider. */
export const makerOf = (provider: string, routes: readonly Route[]): KnownMaker => ({
  engine: provider,
  engine_model:
    provider === 'demo' ? RENDERER_MODEL : (routes.find((route) => route.provider === provider)?.model ?? null),
})

/** A finished video in media storage. */
export interface VideoFile {
  /** SHA-256 of the file in hex. */
  readonly sha256: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds. */
  readonly durationMs: number
  readonly width: number
  readonly height: number
}

type Fact = { taskId: string; at: string }
type OwnedFact = Fact & { userId: string }

export type VideoTaskSubmitted = Event<'VideoTaskSubmitted', VideoTaskOrder & { at: string }>
/** The user's render lane is full, so the task waits for a slot. */
export type VideoTaskQueued = Event<'VideoTaskQueued', Fact>
/**
 * Appended before the provider is called, because some providers are not idempotent. Starts the 30-minute timeout.
 * `engineModel` is what the provider makes the video with.
 */
export type VideoRenderRequested = Event<
  'VideoRenderRequested',
  Fact & { lease?: number; attempt: string; provider: string; engineModel?: string }
>
/** Another worker took over a task in progress. `lease` is the fencing token of its lease. */
export type VideoTaskClaimed = Event<'VideoTaskClaimed', Fact & { lease: number }>
/**
 * The provider certainly did not create a job (rate limited or unreachable). The task waits and the call is retried.
 * `refused`: the provider will not take this task. `bound`: an earlier call may have created a job, so only the same
 * provider may be asked again.
 */
export type VideoRenderPostponed = Event<
  'VideoRenderPostponed',
  Fact & { detail: string; refused?: true; bound?: true }
>
/**
 * The provider created a job. Appended again with a new job id if the provider loses the job, and once with the same id if it queues
 * a job again that had begun.
 */
export type VideoRenderAccepted = Event<'VideoRenderAccepted', Fact & { jobId: string }>
/** The job of a task that had failed without it became known, from a callback or from a late response. */
export type VideoRenderFound = Event<'VideoRenderFound', OwnedFact & { jobId: string }>
export type VideoRenderStarted = Event<'VideoRenderStarted', Fact>
/** Its owner cancelled the task while the provider was working on it. The task ends uncharged. */
export type VideoCancelRequested = Event<'VideoCancelRequested', OwnedFact>
/** What the provider says that the finished video has cost, in US cents, and its length in seconds. */
export type VideoCostReported = Event<'VideoCostReported', Fact & { seconds?: number; costCents?: number }>
/** The provider finished the video, and the download started. */
export type VideoDownloadStarted = Event<'VideoDownloadStarted', Fact>
export type VideoTaskSucceeded = Event<'VideoTaskSucceeded', OwnedFact & { file: VideoFile }>
export type VideoTaskFailed = Event<
  'VideoTaskFailed',
  OwnedFact & { code: FailureCode; detail: string; jobId: string | null }
>
/** The credits were held, but the task was never submitted. Prevents a late submission. */
export type VideoTaskAbandoned = Event<'VideoTaskAbandoned', Fact>
/** The provider finished after the task had failed. The user gets the video for free. */
export type VideoTaskRecovered = Event<'VideoTaskRecovered', OwnedFact & { file: VideoFile }>
/** The recovery of a failed task ended without a video. */
export type VideoRecoveryEnded = Event<'VideoRecoveryEnded', Fact>
/** The film is shown to a team from now on, or to none. */
export type VideoVisibilitySet = Event<'VideoVisibilitySet', OwnedFact & { shownTo: string | null }>
export type VideoTaskDeleted = Event<'VideoTaskDeleted', OwnedFact>

export type VideoTaskEvent =
  | VideoTaskSubmitted
  | VideoTaskQueued
  | VideoRenderRequested
  | VideoTaskClaimed
  | VideoRenderPostponed
  | VideoRenderAccepted
  | VideoRenderFound
  | VideoRenderStarted
  | VideoCancelRequested
  | VideoCostReported
  | VideoDownloadStarted
  | VideoTaskSucceeded
  | VideoTaskFailed
  | VideoTaskAbandoned
  | VideoTaskRecovered
  | VideoRecoveryEnded
  | VideoVisibilitySet
  | VideoTaskDeleted

/** Failures after which the provider may still finish the video. */
export const OPEN_ENDED: readonly FailureCode[] = ['render_timed_out', 'answer_lost', 'internal']

export const VIDEO_TASK = 'videoTask'

export const VIDEO_TASK_EVENTS: EventSchemas<VideoTaskEvent['type']> = {
  VideoTaskSubmitted: [],
  VideoTaskQueued: [],
  VideoRenderRequested: [],
  VideoTaskClaimed: [],
  VideoRenderPostponed: [],
  VideoRenderAccepted: [],
  VideoRenderFound: [],
  VideoRenderStarted: [],
  VideoCancelRequested: [],
  VideoCostReported: [],
  VideoDownloadStarted: [],
  VideoTaskSucceeded: [],
  VideoTaskFailed: [],
  VideoTaskAbandoned: [],
  VideoTaskRecovered: [],
  VideoRecoveryEnded: [],
  VideoVisibilitySet: [],
  VideoTaskDeleted: [],
}

/**
 * A task requested a slot in the render lane of `userId`, who pays for it. A lane is a FIFO semaphore limited by the plan of
 * its user.
 */
export type RenderSlotAsked = Event<'RenderSlotAsked', OwnedFact>
export type RenderSlotClaimed = Event<'RenderSlotClaimed', OwnedFact>
export type RenderSlotReleased = Event<'RenderSlotReleased', OwnedFact>

export type RenderLaneEvent = RenderSlotAsked | RenderSlotClaimed | RenderSlotReleased

export const RENDER_LANE = 'renderLane'

export const RENDER_LANE_EVENTS: EventSchemas<RenderLaneEvent['type']> = {
  RenderSlotAsked: [],
  RenderSlotClaimed: [],
  RenderSlotReleased: [],
}
