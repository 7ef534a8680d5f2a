import type { Event } from '../kernel/eventsourcing/pure/decider.ts'
import type { CameraMovement, Configuration, FailureCode } from './contract.ts'

/** What was asked for. The prompt is encrypted with its owner's key: with the key erased, nobody reads it any more. */
export interface VideoTaskOrder extends Configuration {
  readonly taskId: string
  readonly userId: string
  /** AES-256-GCM, base64. */
  readonly encryptedPrompt: string
  readonly cameraMovements: readonly CameraMovement[]
  readonly promptOptimizer: boolean
  /** The uploaded picture's id. */
  readonly firstFrame: string | null
  /** Credits held for the task. */
  readonly credits: number
  /** 1 first … 4 last. */
  readonly priority: number
}

/** A finished file in media storage. */
export interface VideoFile {
  /** Bytes. */
  readonly size: number
  /** Milliseconds. */
  readonly durationMs: number
  readonly width: number
  readonly height: number
}

export type VideoTaskSubmitted = Event<'VideoTaskSubmitted', VideoTaskOrder & { at: string }>
/** The user's render lane is full: the task waits for its turn. */
export type VideoTaskQueued = Event<'VideoTaskQueued', { taskId: string; at: string }>
/** Written before the provider is asked, since some providers cannot be asked twice. The 30 minutes count from here. */
export type VideoRenderRequested = Event<'VideoRenderRequested', { taskId: string; at: string }>
/** The provider certainly did not take it (too many calls, or nobody there): the task waits, and is asked for again. */
export type VideoRenderPostponed = Event<'VideoRenderPostponed', { taskId: string; detail: string; at: string }>
/** The provider took the job under this id. A second one replaces it: the provider had lost the first. */
export type VideoRenderAccepted = Event<'VideoRenderAccepted', { taskId: string; jobId: string; at: string }>
/** The provider's answer was lost and the task ended; now the provider tells by itself that it took the job. */
export type VideoRenderFound = Event<'VideoRenderFound', { taskId: string; userId: string; jobId: string; at: string }>
export type VideoRenderStarted = Event<'VideoRenderStarted', { taskId: string; at: string }>
/** The provider is done; its file is being copied to our storage. */
export type VideoDownloadStarted = Event<'VideoDownloadStarted', { taskId: string; at: string }>
export type VideoTaskSucceeded = Event<
  'VideoTaskSucceeded',
  { taskId: string; userId: string; file: VideoFile; at: string }
>
export type VideoTaskFailed = Event<
  'VideoTaskFailed',
  { taskId: string; userId: string; code: FailureCode; detail: string; jobId: string | null; at: string }
>
/** The credits were held, but the task never came to be. Blocks a late submit. */
export type VideoTaskAbandoned = Event<'VideoTaskAbandoned', { taskId: string; at: string }>
/** The provider finished after we had given up: the user gets the video free of charge. */
export type VideoTaskRecovered = Event<
  'VideoTaskRecovered',
  { taskId: string; userId: string; file: VideoFile; at: string }
>
/** Nothing came after all: we stop looking. */
export type VideoRecoveryEnded = Event<'VideoRecoveryEnded', { taskId: string; at: string }>
export type VideoTaskDeleted = Event<'VideoTaskDeleted', { taskId: string; userId: string; at: string }>

export type VideoTaskEvent =
  | VideoTaskSubmitted
  | VideoTaskQueued
  | VideoRenderRequested
  | VideoRenderPostponed
  | VideoRenderAccepted
  | VideoRenderFound
  | VideoRenderStarted
  | VideoDownloadStarted
  | VideoTaskSucceeded
  | VideoTaskFailed
  | VideoTaskAbandoned
  | VideoTaskRecovered
  | VideoRecoveryEnded
  | VideoTaskDeleted

export const VIDEO_TASK = 'videoTask'

/** The render lane of a user: how many of the user's tasks are made at once, in the order in which they asked. */
export type RenderSlotAsked = Event<'RenderSlotAsked', { userId: string; taskId: string; at: string }>
export type RenderSlotClaimed = Event<'RenderSlotClaimed', { userId: string; taskId: string; at: string }>
export type RenderSlotReleased = Event<'RenderSlotReleased', { userId: string; taskId: string; at: string }>

export type RenderLaneEvent = RenderSlotAsked | RenderSlotClaimed | RenderSlotReleased

export const RENDER_LANE = 'renderLane'
