import { randomUUID } from 'node:crypto'
import type { CommandContext, FindOrigin, Origin } from '#backend/kernel/eventsourcing/command.ts'
import type { Handle, Step } from '#backend/kernel/eventsourcing/handle.ts'
import type { Decider } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '#backend/kernel/eventsourcing/pure/eventHash.ts'
import type { Marker } from '#backend/kernel/media/marks/createMarker.ts'
import type { ReceiptAssertion } from '#backend/kernel/media/marks/manifest.ts'
import type { MediaStore } from '#backend/kernel/media/mediaStore.port.ts'
import type { Clock } from '#backend/kernel/time.ts'
import type { FailureCode, Film, Maker } from '#backend/tasks/contract.ts'
import { VIDEO_TASK, type VideoTaskEvent } from '#backend/tasks/events.ts'
import type { MediaRemovals } from '#backend/tasks/mediaRemovals.port.ts'
import type { Decrypt } from '#backend/tasks/promptCipher.port.ts'
import type { RenderProgress, VideoProvider } from '#backend/tasks/videoProvider.port.ts'
import { type VideoTaskCommand, videoTask } from '#backend/tasks/videoTask.decider.ts'
import type { VideoTask } from '#backend/tasks/videoTask.rules.ts'
import type { Engine } from '../engine/engine.port.ts'

export interface FailedRender {
  readonly taskId: string
  readonly engine: string | undefined
  readonly engineModel: string | undefined
  readonly code: FailureCode
  readonly detail: string
}

/** A film and what made it. */
export interface FilmToSign extends Maker {
  readonly taskId: string
  readonly model: string
}

export interface ActivityDeps {
  readonly handle: Handle
  /** Fencing token of the lease that this worker holds; undefined if the engine needs none. */
  readonly lease?: number | undefined
  readonly findOrigin: FindOrigin
  readonly credits: {
    capture(userId: string, taskId: string, origin?: Origin): Step<unknown>
    release(userId: string, taskId: string, reason: string, origin?: Origin): Promise<unknown>
  }
  /** Tells the operator about a failure: the task, the engine, and what it said. */
  readonly onFailed?: (failure: FailedRender) => void
  /** Called after a capture. Emails the user when few credits are left. */
  readonly creditsSpent: (userId: string) => Promise<void>
  /** Configured video providers by name. */
  readonly providers: ReadonlyMap<string, VideoProvider>
  readonly media: MediaStore
  readonly removals: Pick<MediaRemovals, 'done' | 'giveUp'>
  /** Makes the copies of a stored video that its viewers will get. Never rejects: they are made again when one is asked for. */
  readonly prepareCopies: (film: Film) => Promise<void>
  readonly marker: Pick<Marker, 'markVideo' | 'markPoster'>
  /** Returns what the content credentials of a film say of its charge; undefined if that cannot be read. */
  readonly assertionOf: (film: FilmToSign) => Promise<ReceiptAssertion | undefined>
  readonly decrypt: Decrypt
  /** Returns how many of the user's tasks may render at the same time. */
  readonly concurrentLimit: (userId: string) => Promise<number>
  /** Returns the holds older than `ms` milliseconds. */
  readonly holdsOlderThan: (ms: number) => Promise<readonly { taskId: string; userId: string }[]>
  /** Removes uploaded pictures that no task has used for a day. */
  readonly removeUnusedUploads: () => Promise<unknown>
  /** Publishes the progress of a render. Call with undefined when the render has ended. */
  readonly showProgress: (taskId: string, progress: RenderProgress | undefined) => Promise<void>
  /** Waits for `ms` milliseconds or until the provider calls back about the task. */
  readonly waitForCallback: (taskId: string, ms: number, signal: AbortSignal) => Promise<void>
  /** Returns the path of a local copy of an uploaded picture. */
  readonly pictureFile: (imageId: string) => Promise<string>
  readonly signal: Engine['signal']
  readonly temporaryDir: string
  readonly ffmpegPath: string | undefined
  readonly clock: Clock
  /** Waits for `ms` milliseconds. Rejects when the signal is aborted. */
  readonly delay: (ms: number, signal?: AbortSignal) => Promise<unknown>
}

export const WAIT_LIMIT_MS = 6 * 3600_000

/** Returns the context of an activity's command. It is the same on every retry, so the command takes effect once per task. */
export const stepContext = (step: string, taskId: string): CommandContext => ({
  commandId: derivedId(step, taskId),
  actor: 'system',
  correlationId: taskId,
})

/** Creates the task queries and commands that activities share. */
export function createTaskCommands({
  handle,
  findOrigin,
  clock,
  lease,
}: Pick<ActivityDeps, 'handle' | 'findOrigin' | 'clock' | 'lease'>) {
  const at = () => new Date(clock()).toISOString()
  const origin = (taskId: string) => findOrigin(`${VIDEO_TASK}-${taskId}`)
  const contextOf = async (step: string, taskId: string): Promise<CommandContext> => ({
    ...stepContext(step, taskId),
    ...(await origin(taskId)),
  })
  const decider: Decider<VideoTask, VideoTaskCommand, VideoTaskEvent> = videoTask

  /** Sends a command and returns the updated task. Set `repeatable` if a task may receive the command several times. */
  const sendCommand = async (taskId: string, command: VideoTaskCommand, { repeatable = false } = {}) => {
    const context = await contextOf(command.type, taskId)
    const unique = repeatable ? { ...context, commandId: randomUUID() } : context
    return (await handle(decider, taskId, { ...command, lease }, unique)).state
  }

  return {
    at,
    /** Returns the origin of a task's steps, which is the request that submitted it. */
    origin,
    /** Returns the context for a step's command to another stream. */
    contextOf,
    sendCommand,
    /** Returns a command to a task, to be sent once. */
    step: async (taskId: string, command: VideoTaskCommand) =>
      handle.step(decider, taskId, { ...command, lease }, await contextOf(command.type, taskId)),
    /** Returns the state of a task that this process knows. It may lack events of other processes. */
    peekTask: async (taskId: string): Promise<VideoTask> => (await handle.peek(decider, taskId)).state,
    readTask: async (taskId: string): Promise<VideoTask> => (await handle.read(decider, taskId)).state,
    /** Fails the task if it has waited for six hours. Returns whether it did. */
    async failIfWaitedTooLong(taskId: string, state: VideoTask): Promise<boolean> {
      if (state.status !== 'waiting' || clock() < Date.parse(state.submittedAt) + WAIT_LIMIT_MS) return false
      const detail = 'Its turn did not come within six hours.'
      await sendCommand(taskId, { type: 'Fail', code: 'waited_too_long', detail, at: at() })
      return true
    },
  }
}

export type TaskCommands = ReturnType<typeof createTaskCommands>
