import type { CameraMovement, Configuration } from './contract.ts'

/** What is asked of a provider: one video. */
export interface RenderRequest extends Configuration {
  readonly taskId: string
  readonly prompt: string
  readonly promptOptimizer: boolean
  readonly cameraMovements: readonly CameraMovement[]
  /** A file of this machine. */
  readonly firstFrame: string | undefined
}

export type RenderAnswer =
  | { readonly kind: 'accepted'; readonly jobId: string }
  | {
      readonly kind: 'refused'
      readonly code: 'content_refused' | 'provider_failed' | 'provider_unavailable'
      readonly detail: string
    }

export type CreateAnswer =
  | RenderAnswer
  /** Certainly not taken, and may be asked again: too many calls at once, or nobody there. */
  | { readonly kind: 'postponed'; readonly detail: string }

export type RenderState =
  | { readonly kind: 'queued' }
  /** Percent where the provider says it. */
  | { readonly kind: 'rendering'; readonly percent: number | undefined }
  | { readonly kind: 'finished' }
  | { readonly kind: 'failed'; readonly code: 'content_refused' | 'provider_failed'; readonly detail: string }
  /** The provider knows nothing of the job. */
  | { readonly kind: 'unknown' }

/** A service that makes videos. Expected failures are answers; what is thrown is tried again. */
export interface VideoProvider {
  readonly name: string
  /** Asked twice for one task, it makes one video. Otherwise nobody may ask again when an answer was lost. */
  readonly idempotent: boolean
  /** Milliseconds between two looks at a job. */
  readonly pollMs: number
  /** Takes a place among the calls of all processes: 0, or the milliseconds after which to try again. */
  admit(): Promise<number>
  /** Needs a place. What it throws leaves open whether the job was taken. */
  create(request: RenderRequest): Promise<CreateAnswer>
  state(jobId: string, signal: AbortSignal): Promise<RenderState>
  /** Puts the finished video into a file. */
  fetch(jobId: string, file: string, signal: AbortSignal): Promise<void>
  /** The task needs nothing more: what is still made or kept for it may go. */
  forget(taskId: string): Promise<void>
  close(): Promise<void>
}
