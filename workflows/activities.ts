import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Decider } from '#backend/eventsourcing/decider.ts'
import { derivedId } from '#backend/eventsourcing/eventHash.ts'
import type { CommandContext, Handle } from '#backend/eventsourcing/handle.ts'
import { type MediaStore, posterKey, videoKey } from '#backend/media/mediaStore.ts'
import { makePoster } from '#backend/media/poster.ts'
import { probeMp4 } from '#backend/media/probeMp4.ts'
import type { VideoFile, VideoTaskEvent } from '#backend/tasks/events.ts'
import { renderLane } from '#backend/tasks/renderLane.ts'
import type { RenderRequest, RenderState, VideoProvider } from '#backend/tasks/videoProvider.ts'
import { isCharged, type VideoTask, type VideoTaskCommand, videoTask } from '#backend/tasks/videoTask.ts'
import type { ActivityContext } from './engine.ts'
import {
  type GenerateVideoActivities,
  type GenerateVideoInput,
  type RenderOutcome,
  TURN,
  type Turn,
} from './tasks/generateVideo.ts'
import type { RecoverVideoActivities } from './tasks/recoverVideo.ts'
import type { SweepHoldsActivities } from './tasks/sweepHolds.ts'

export interface ActivityDeps {
  readonly handle: Handle
  readonly credits: {
    capture(userId: string, taskId: string): Promise<void>
    release(userId: string, taskId: string, reason: string): Promise<unknown>
  }
  readonly provider: VideoProvider
  readonly media: MediaStore
  readonly decrypt: (userId: string, sealed: string) => Promise<string | undefined>
  /** Tasks of the user that may be made at once. */
  readonly concurrentLimit: (userId: string) => Promise<number>
  /** Holds older than so many milliseconds. */
  readonly holdsOlderThan: (ms: number) => Promise<readonly { taskId: string; userId: string }[]>
  /** Shows how far a rendering is, in percent; undefined: it is over. */
  readonly showProgress: (taskId: string, percent: number | undefined) => Promise<void>
  readonly pictureFile: (imageId: string) => Promise<string>
  readonly wake: (workflowId: string, signal: string) => Promise<void>
  readonly temporaryDir: string
  readonly ffmpegPath: string | undefined
  readonly now: () => number
}

export const RENDER_LIMIT_MS = 30 * 60_000
export const WAIT_LIMIT_MS = 6 * 3600_000
const ORPHAN_AGE_MS = 20_000
const TIMED_OUT = { kind: 'failed', code: 'render_timed_out', detail: 'No video came within 30 minutes.' } as const

type All = GenerateVideoActivities & RecoverVideoActivities & SweepHoldsActivities
export type AllActivities = {
  readonly [Name in keyof All]: (input: Parameters<All[Name]>[0], context: ActivityContext) => ReturnType<All[Name]>
}

/** What the workflows do in the world: commands to the deciders, and calls of the provider and the media store. */
export function createActivities(deps: ActivityDeps): AllActivities {
  const { handle, credits, provider, media, now } = deps
  const at = () => new Date(now()).toISOString()
  const context = (step: string, taskId: string): CommandContext => ({
    commandId: derivedId(step, taskId),
    actor: 'system',
    correlationId: taskId,
  })
  const task = async (taskId: string, command: VideoTaskCommand): Promise<VideoTask> =>
    (
      await handle(
        videoTask as Decider<VideoTask, VideoTaskCommand, VideoTaskEvent>,
        taskId,
        command,
        context(command.type, taskId),
      )
    ).state
  /** Where the task stands. Asked of one that no longer waits, this command changes nothing. */
  const look = (taskId: string) => task(taskId, { type: 'Queue', at: at() })

  const waitedTooLong = async (taskId: string, state: VideoTask) => {
    if (state.status !== 'waiting' || now() < Date.parse(state.submittedAt) + WAIT_LIMIT_MS) return false
    const detail = 'Its turn did not come within six hours.'
    await task(taskId, { type: 'Fail', code: 'waited_too_long', detail, at: at() })
    return true
  }

  /** From the provider's file to ours: as a whole, checked, and with a still. */
  const fetchVideo = async (taskId: string, jobId: string, signal: AbortSignal): Promise<VideoFile> => {
    if ((await media.size(videoKey(taskId))) === undefined) {
      const file = path.join(deps.temporaryDir, `${randomUUID()}.mp4`)
      const still = `${file}.jpg`
      await provider.fetch(jobId, file, signal)
      const { duration } = await probeMp4(file)
      await makePoster(file, still, { at: duration / 3, width: 640, signal, ffmpegPath: deps.ffmpegPath })
      await media.put(posterKey(taskId), still)
      await media.put(videoKey(taskId), file)
    }
    const { size, duration, width, height } = await probeMp4(await media.localPath(videoKey(taskId)))
    return { size, durationMs: Math.round(duration * 1000), width, height }
  }

  return {
    async claimSlot({ taskId, userId }): Promise<Turn> {
      const limit = await deps.concurrentLimit(userId)
      const command = { type: 'ClaimSlot', userId, taskId, limit, at: at() } as const
      const lane = (await handle(renderLane, userId, command, context('claim', taskId))).state
      if (lane.holding.includes(taskId)) return 'claimed'
      const state = await look(taskId)
      return state.status !== 'waiting' || (await waitedTooLong(taskId, state)) ? 'over' : 'waiting'
    },

    async render({ taskId }, { signal, heartbeat }): Promise<RenderOutcome> {
      if (await waitedTooLong(taskId, await look(taskId))) return { kind: 'over' }
      const requestedAt = at()
      const state = await task(taskId, { type: 'RequestRender', at: requestedAt })
      if (state.status === 'downloading') return { kind: 'finished' }
      if (state.status !== 'rendering') return { kind: 'over' }
      const isNew = state.requestedAt === requestedAt
      if (state.jobId === null && !isNew && !provider.idempotent)
        return { kind: 'failed', code: 'provider_failed', detail: 'It is unknown whether the provider was reached.' }
      const ask = async () => {
        const answer = await provider.create(await requestOf(deps, state))
        if (answer.kind === 'accepted') await task(taskId, { type: 'AcceptRender', jobId: answer.jobId, at: at() })
        return answer
      }
      let jobId = state.jobId
      const deadline = Date.parse(state.requestedAt) + RENDER_LIMIT_MS
      for (;;) {
        signal.throwIfAborted()
        let job: RenderState
        try {
          if (jobId === null) {
            const answer = await ask()
            if (answer.kind === 'refused') return { ...answer, kind: 'failed' }
            jobId = answer.jobId
          }
          job = await provider.state(jobId)
        } catch (error) {
          // A provider that cannot be reached is waited for, but no longer than for a slow one.
          if (now() >= deadline) return TIMED_OUT
          throw error
        }
        heartbeat()
        if (job.kind === 'finished') return { kind: 'finished' }
        if (job.kind === 'failed') return job
        if (job.kind === 'rendering') {
          await task(taskId, { type: 'StartRender', at: at() })
          await deps.showProgress(taskId, job.percent)
        }
        if (now() >= deadline) return TIMED_OUT
        if (job.kind === 'unknown') {
          if (!provider.idempotent)
            return { kind: 'failed', code: 'provider_failed', detail: 'The provider has lost the job.' }
          jobId = null
        } else await delay(provider.pollMs, undefined, { signal })
      }
    },

    async store({ taskId }, { signal }) {
      const state = await task(taskId, { type: 'StartDownload', at: at() })
      if (state.status !== 'downloading') return
      const file = await fetchVideo(taskId, state.jobId ?? taskId, signal)
      await task(taskId, { type: 'Succeed', file, at: at() })
      await deps.showProgress(taskId, undefined)
      await provider.forget(taskId)
    },

    async fail({ taskId, code, detail }) {
      const state = await task(taskId, { type: 'Fail', code, detail, at: at() })
      await deps.showProgress(taskId, undefined)
      const stillWanted = state.status === 'failed' && state.jobId !== null
      if (!stillWanted) await provider.forget(taskId)
    },

    async settleCredits({ taskId, userId }) {
      if (isCharged(await look(taskId))) await credits.capture(userId, taskId)
      else await credits.release(userId, taskId, 'not delivered')
    },

    async releaseSlot({ taskId, userId }) {
      const command = { type: 'ReleaseSlot', userId, taskId, at: at() } as const
      const lane = (await handle(renderLane, userId, command, context('release slot', taskId))).state
      for (const waiting of lane.waiting) await deps.wake(waiting, TURN)
    },

    async recover({ taskId }, { signal }) {
      const state = await look(taskId)
      if (state.status !== 'failed' || state.jobId === null) return 'over'
      const job = await provider.state(state.jobId)
      if (job.kind === 'queued' || job.kind === 'rendering') return 'pending'
      if (job.kind === 'finished') {
        const file = await fetchVideo(taskId, state.jobId, signal)
        await task(taskId, { type: 'Succeed', file, at: at() })
      }
      return 'over'
    },

    async endRecovery({ taskId }) {
      await task(taskId, { type: 'EndRecovery', at: at() })
      await provider.forget(taskId)
    },

    async sweepHolds() {
      for (const { taskId, userId } of await deps.holdsOlderThan(ORPHAN_AGE_MS)) {
        const state = await task(taskId, { type: 'Abandon', taskId, at: at() })
        if (state.status === 'abandoned') await credits.release(userId, taskId, 'abandoned')
      }
    },
  }
}

async function requestOf(
  { decrypt, pictureFile }: ActivityDeps,
  { order }: Extract<VideoTask, { status: 'rendering' | 'downloading' }>,
): Promise<RenderRequest> {
  const { taskId, taskType, model, resolution, duration, promptOptimizer, cameraMovements } = order
  return {
    taskId,
    taskType,
    model,
    resolution,
    duration,
    promptOptimizer,
    cameraMovements,
    prompt: (await decrypt(order.userId, order.encryptedPrompt)) ?? '',
    firstFrame: order.firstFrame === null ? undefined : await pictureFile(order.firstFrame),
  }
}

export type { GenerateVideoInput }
