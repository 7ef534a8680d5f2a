import type { CameraMovement, CatalogueModel, Configuration } from './contract.ts'

export interface RenderRequest extends Configuration {
  readonly taskId: string
  /** The provider's own name of the model, from the model's route. */
  readonly providerModel: string
  readonly prompt: string
  readonly promptOptimizer: boolean
  readonly cameraMovements: readonly CameraMovement[]
  /** Path of a local image file; undefined for text-to-video. */
  readonly firstFrame: string | undefined
  /** Path of a local image file. */
  readonly lastFrame: string | undefined
  /** Paths of local image files. */
  readonly references: readonly string[]
  /** Such as `16:9`; undefined: the provider's default. */
  readonly aspectRatio: string | undefined
  readonly seed: number | undefined
  readonly negativePrompt: string | undefined
  /** Whether the video has sound; undefined: the provider's default. */
  readonly sound: boolean | undefined
  /** Job id of a finished video that is rendered again in `resolution`. */
  readonly sourceJob?: string | undefined
}

export type CreateAnswer =
  | { readonly kind: 'accepted'; readonly jobId: string }
  | {
      readonly kind: 'refused'
      readonly code: 'content_refused' | 'provider_failed' | 'provider_unavailable'
      readonly detail: string
    }
  /** The provider says that it failed, and shows no job. The task ends: another engine could make its video twice. */
  | { readonly kind: 'failed'; readonly code: 'content_refused' | 'provider_failed'; readonly detail: string }
  /** The provider was unreachable or rate limited the call, so it certainly created no job. Retry later or elsewhere. */
  | { readonly kind: 'postponed'; readonly detail: string }

/** `percent` is undefined when the provider does not report progress. */
export interface RenderProgress {
  readonly percent: number | undefined
  /** A JPEG of the picture so far, where the engine shows it. */
  readonly frame?: Uint8Array | undefined
}

export type RenderState =
  | { readonly kind: 'queued' }
  | ({ readonly kind: 'rendering' } & RenderProgress)
  /** `seconds` of video and cost in US cents, as the provider reports them; they are recorded for the margin. */
  | { readonly kind: 'finished'; readonly seconds?: number; readonly costCents?: number }
  | { readonly kind: 'failed'; readonly code: 'content_refused' | 'provider_failed'; readonly detail: string }
  /** The provider has no such job. */
  | { readonly kind: 'unknown' }

/** `unsupported`: the provider cannot cancel; `too_late`: the job had already ended. */
export type CancelAnswer = 'cancelled' | 'too_late' | 'unsupported'

export interface ProviderCheck {
  readonly ok: boolean
  /** What was found, or what to do, in one line. Never contains a secret. */
  readonly detail: string
}

/** A word of a prompt, from `start` to `end`, and what an engine makes of it: itself, something else, or nothing. */
export interface ReadWord {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly as: 'drawn' | 'drawn_as' | 'missing'
  /** What is drawn, in the user's language; absent if it is the word itself. */
  readonly label?: string
}

/** What an engine that draws only certain things makes of a prompt. */
export interface Understanding {
  readonly words: readonly ReadWord[]
  /** What the video will show, in the words of the user's language. */
  readonly drawn: readonly string[]
  /** Words of the prompt that it will not show. */
  readonly missing: readonly string[]
  /** Whether it shows enough of the prompt to be ordered. */
  readonly enough: boolean
}

/** The video can never be downloaded, because the provider has lost it or its file is too large. */
export class UndeliverableVideo extends Error {
  override name = 'UndeliverableVideo'
}

/** A service that renders videos. Expected failures are values; a thrown error is retried. */
export interface VideoProvider {
  /** The key of this provider in the routes of models. */
  readonly name: string
  /** Whether repeated `create` calls for a task create only one job. If false, never retry after a lost response. */
  readonly idempotent: boolean
  /** Whether `cancel` can stop a running job. */
  readonly cancels: boolean
  /** Whether the prompt optimizer has no effect. */
  readonly ignoresOptimizer?: boolean
  /** Whether the engine takes a seed for every model, whatever the catalogue says. */
  readonly takesSeeds?: boolean
  /** Whether jobs wait for the operator's own machine. That time is not rendering. */
  readonly ownQueue?: boolean
  readonly pollIntervalMs: number
  /** Rate limit of `create`, for the estimate; absent if there is none. */
  readonly createsPerMinute?: number
  /** Returns the name that people see of one of its models; absent or undefined where that is the provider's own name. */
  modelName?(model: string): Promise<string | undefined>
  /** Typical milliseconds of a render, for the estimate before any video is finished; absent if unknown. */
  readonly typicalMs?: number
  /** Acquires a slot of the rate limit that all processes share. Returns 0, or the milliseconds to wait. */
  acquire(): Promise<number>
  /** Creates a job. Requires an acquired slot. If it throws, the job may have been created. */
  create(request: RenderRequest): Promise<CreateAnswer>
  state(jobId: string, signal: AbortSignal): Promise<RenderState>
  /** Downloads the finished video to a file. @throws UndeliverableVideo if a retry would not help */
  fetch(jobId: string, file: string, signal: AbortSignal): Promise<void>
  /** Stops a running job. The adapter itself repeats a call that the provider answers with "in progress". */
  cancel(jobId: string, signal: AbortSignal): Promise<CancelAnswer>
  /**
   * Cancels the task's job if it is still running, and deletes its files. Can be repeated. Throws if files may be left
   * that a later call can delete; the caller retries.
   */
  discard(taskId: string): Promise<void>
  /** Tests the connection: credentials, model, memory. Never renders. Expected failures are values. */
  check(signal: AbortSignal): Promise<ProviderCheck>
  /** Returns what the engine would draw of a prompt; absent where it can draw anything. */
  understands?(prompt: string, language: 'en' | 'zh'): Understanding
  /** Returns the models that the engine itself reports; absent where the catalogue is the only source. */
  models?(signal: AbortSignal): Promise<readonly CatalogueModel[]>
  close(): Promise<void>
}
