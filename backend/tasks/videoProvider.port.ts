import type { CameraMovement, Configuration } from './contract.ts'

export interface RenderRequest extends Configuration {
  readonly taskId: string
  readonly prompt: string
  readonly promptOptimizer: boolean
  readonly cameraMovements: readonly CameraMovement[]
  /** Path of a local image file; undefined for text-to-video. */
  readonly firstFrame: string | undefined
}

export type CreateAnswer =
  | { readonly kind: 'accepted'; readonly jobId: string }
  | {
      readonly kind: 'refused'
      readonly code: 'content_refused' | 'provider_failed' | 'provider_unavailable'
      readonly detail: string
    }
  /** The provider was unreachable or rate limited the call, so no job was created. Retry later. */
  | { readonly kind: 'postponed'; readonly detail: string }

export type RenderState =
  | { readonly kind: 'queued' }
  /** `percent` is undefined when the provider does not report progress. */
  | { readonly kind: 'rendering'; readonly percent: number | undefined }
  | { readonly kind: 'finished' }
  | { readonly kind: 'failed'; readonly code: 'content_refused' | 'provider_failed'; readonly detail: string }
  /** The provider has no such job. */
  | { readonly kind: 'unknown' }

/** A service that renders videos. Expected failures are values; a thrown error is retried. */
export interface VideoProvider {
  readonly name: string
  /** Whether repeated `create` calls for a task create only one job. If false, never retry after a lost response. */
  readonly idempotent: boolean
  readonly pollIntervalMs: number
  /** Acquires a slot of the rate limit that all processes share. Returns 0, or the milliseconds to wait. */
  acquire(): Promise<number>
  /** Creates a job. Requires an acquired slot. If it throws, the job may have been created. */
  create(request: RenderRequest): Promise<CreateAnswer>
  state(jobId: string, signal: AbortSignal): Promise<RenderState>
  /** Downloads the finished video to a file. */
  fetch(jobId: string, file: string, signal: AbortSignal): Promise<void>
  /** Cancels the task's job if it is still running, and deletes its files. */
  discard(taskId: string): Promise<void>
  close(): Promise<void>
}
