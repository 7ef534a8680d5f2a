import { removeTaskMedia } from '#backend/kernel/media/mediaStore.port.ts'
import { UnplayableVideoError } from '#backend/kernel/media/probeMp4.ts'
import { type FailureCode, sourceOf } from '#backend/tasks/contract.ts'
import { makerOf, type VideoFile } from '#backend/tasks/events.ts'
import { type RenderLane, renderLane } from '#backend/tasks/renderLane.decider.ts'
import { UndeliverableVideo } from '#backend/tasks/videoProvider.port.ts'
import { isCharged, isEnded, refuseOlderLease, releaseReason, type VideoTask } from '#backend/tasks/videoTask.rules.ts'
import type { Implemented } from '../engine/engine.port.ts'
import { forEachReadable } from '../engine/forEachReadable.ts'
import { discardEverywhere, providerOf } from './candidateRoutes.ts'
import { fetchVideo } from './fetchVideo.ts'
import { type GenerateVideoActivities, generateVideo, TURN, type Turn } from './generateVideo.workflow.ts'
import type { RecoverVideoActivities } from './recoverVideo.workflow.ts'
import type { RemoveMediaActivities } from './removeMedia.workflow.ts'
import { createCalls, failure, type Rendering } from './rendering.ts'
import { renderVideo } from './renderVideo.ts'
import type { SweepHoldsActivities } from './sweepHolds.workflow.ts'
import type { SweepUploadsActivities } from './sweepUploads.workflow.ts'
import { type ActivityDeps, createTaskCommands } from './taskCommands.ts'

const ORPHAN_AGE_MS = 20_000
/** Time after a failure in which its video may still arrive. The polls are counted again in each new process. */
const RECOVERY_MS = 24 * 3_600_000
/** Time after which a download that fails is left to the recovery. */
const DOWNLOAD_LIMIT_MS = 3_600_000
const NOT_DOWNLOADED = failure('render_timed_out', 'The video could not be downloaded within an hour.')

export type TaskActivities = GenerateVideoActivities &
  RecoverVideoActivities &
  RemoveMediaActivities &
  SweepHoldsActivities &
  SweepUploadsActivities

/** Creates the task activities, which send commands to deciders and call the provider and the media store. */
export function createTaskActivities(deps: ActivityDeps): Implemented<TaskActivities> {
  const { handle, credits, providers } = deps
  const commands = createTaskCommands(deps)
  const calls = createCalls()
  const unanswered = new Set<string>()
  const uncalled = new Map<string, string>()
  const { at, sendCommand, readTask, origin, contextOf, failIfWaitedTooLong } = commands

  /** Deletes what the provider of a task keeps, unless its video may still arrive. A provider that is not configured any more keeps it. */
  const discard = async (state: VideoTask, taskId: string) => {
    if (state.status === 'failed' && state.jobId !== null) return
    // A deleted task has forgotten its provider.
    if (state.status === 'deleted') return discardEverywhere(providers, taskId)
    const name = state.status === 'succeeded' ? state.job?.provider : 'provider' in state ? state.provider : undefined
    if (name !== undefined) await providers.get(name)?.discard(taskId)
  }

  /** Fetches a video and prepares its copies. Returns the error if a retry would not help: there is no file, or it is no playable video. */
  const fetchIfPlayable = async (
    { order, provider, jobId }: Pick<Rendering, 'order' | 'provider' | 'jobId'>,
    signal: AbortSignal,
  ) => {
    const { taskId: id, userId: user_id, routes } = order
    const maker = makerOf(provider, routes)
    const origin = { source: sourceOf(maker), agent: maker.engine_model }
    const job = { taskId: id, origin, jobId: jobId ?? id }
    const file = await fetchVideo(deps, providerOf(providers, provider), job, signal).catch((error: Error) => {
      if (error instanceof UnplayableVideoError || error instanceof UndeliverableVideo) return error
      throw error
    })
    if (!(file instanceof Error)) await deps.prepareCopies({ id, user_id, ...maker })
    return file
  }

  /** Fails a task, and deletes what its provider keeps unless its video may still arrive. */
  const fail = async ({ taskId, code, detail }: { taskId: string; code: FailureCode; detail: string }) => {
    const state = await sendCommand(taskId, { type: 'Fail', code, detail, at: at() })
    await deps.showProgress(taskId, undefined)
    await discard(state, taskId)
    return undefined
  }

  /** Ends a task that was never submitted, and prevents a late submission. Changes no other task. */
  const abandon = (taskId: string) => sendCommand(taskId, { type: 'Abandon', taskId, at: at() })

  const releaseSlot = async (taskId: string, userId: string) => {
    const command = { type: 'ReleaseSlot', userId, taskId, at: at() } as const
    return handle.step(renderLane, userId, command, await contextOf('release slot', taskId))
  }

  const wakeWaiting = async (userId: string, { waiting }: RenderLane) => {
    for (const taskId of waiting) await deps.signal(generateVideo, { taskId, userId }, TURN)
  }

  /**
   * Ends a task with its file, and captures its credits and releases its slot in the same commit, where the store can.
   * Returns whether it did.
   */
  const succeed = async (taskId: string, userId: string, file: VideoFile): Promise<boolean> => {
    const capture = credits.capture(userId, taskId, await origin(taskId))
    const release = await releaseSlot(taskId, userId)
    const succeeded = await commands.step(taskId, { type: 'Succeed', file, at: at() })
    const { followed } = await succeeded.sendWith((state) =>
      state.status === 'succeeded' && isCharged(state) ? ([capture, release] as const) : [],
    )
    const [captured, released] = followed
    if (captured) await deps.creditsSpent(userId)
    if (released) await wakeWaiting(userId, released.state)
    return released !== undefined
  }

  return {
    async claimSlot({ taskId, userId }): Promise<Turn> {
      const limit = await deps.concurrentLimit(userId)
      const command = { type: 'ClaimSlot', userId, taskId, limit, at: at() } as const
      const lane = (await handle(renderLane, userId, command, await contextOf('claim', taskId))).state
      if (lane.holding.includes(taskId)) return 'claimed'
      const state = await sendCommand(taskId, { type: 'Queue', at: at() })
      // A task in progress continues without a slot.
      if (!isEnded(state) && state.status !== 'waiting') return 'claimed'
      return isEnded(state) || (await failIfWaitedTooLong(taskId, state)) ? 'over' : 'waiting'
    },

    render: ({ taskId }, context) =>
      renderVideo({ ...deps, ...commands, calls, unanswered, uncalled }, taskId, context),

    async store({ taskId, userId }, { signal }) {
      const state = await sendCommand(taskId, { type: 'StartDownload', at: at() })
      if (isEnded(state)) {
        await deps.showProgress(taskId, undefined)
        await discard(state, taskId)
      }
      if (state.status !== 'downloading') return undefined
      const provider = providerOf(providers, state.provider)
      const file = await fetchIfPlayable(state, signal).catch((error) => {
        if (deps.clock() < Date.parse(state.downloadStartedAt) + DOWNLOAD_LIMIT_MS) throw error
        return NOT_DOWNLOADED
      })
      if (file instanceof Error) return fail({ taskId, code: 'provider_failed', detail: file.message })
      if ('code' in file) return fail({ taskId, code: file.code, detail: file.detail })
      const settled = await succeed(taskId, userId, file)
      await deps.showProgress(taskId, undefined)
      await provider.discard(taskId)
      return settled ? 'settled' : undefined
    },

    fail,

    async settleCredits({ taskId, userId }) {
      const known = await readTask(taskId)
      // A restored log may lack the task. The append fails if the task exists.
      const state = known.status === 'none' ? await abandon(taskId) : known
      refuseOlderLease(state, deps.lease)
      // Another worker may still deliver the video. The retries wait for it.
      if (!isEnded(state)) throw new Error('the task has not ended')
      // A task deleted while rendering may have stored a file after the deletion removed its media.
      if (state.status === 'deleted') await removeTaskMedia(deps.media, taskId)
      if (isCharged(state)) {
        await credits.capture(userId, taskId, await origin(taskId)).send()
        await deps.creditsSpent(userId)
      } else await credits.release(userId, taskId, releaseReason(state), await origin(taskId))
    },

    async releaseSlot({ taskId, userId }) {
      await wakeWaiting(userId, (await (await releaseSlot(taskId, userId)).send()).state)
    },

    async recover({ taskId }, { signal }) {
      const state = await readTask(taskId)
      if (state.status !== 'failed' || state.jobId === null) return 'over'
      const { order, jobId, provider = '' } = state
      const job = await providerOf(providers, provider).state(jobId, signal)
      if (job.kind === 'queued' || job.kind === 'rendering')
        return deps.clock() < Date.parse(state.failedAt) + RECOVERY_MS ? 'pending' : 'over'
      if (job.kind === 'finished') {
        const file = await fetchIfPlayable({ order, jobId, provider }, signal)
        if (!(file instanceof Error)) await sendCommand(taskId, { type: 'Succeed', file, at: at() })
      }
      return 'over'
    },

    async removeMedia({ taskId }) {
      const { status } = await readTask(taskId)
      if (status !== 'deleted') return deps.removals.giveUp(taskId)
      await removeTaskMedia(deps.media, taskId)
      await deps.removals.done(taskId)
    },

    async endRecovery({ taskId }) {
      // A task deleted while its late video was downloaded may have stored a file after the deletion removed its media.
      if ((await readTask(taskId)).status === 'deleted') await removeTaskMedia(deps.media, taskId)
      await discard(await sendCommand(taskId, { type: 'EndRecovery', at: at() }), taskId)
    },

    async sweepHolds() {
      await forEachReadable(await deps.holdsOlderThan(ORPHAN_AGE_MS), async ({ taskId, userId }) => {
        const state = await abandon(taskId)
        if (state.status === 'abandoned') await credits.release(userId, taskId, 'abandoned', await origin(taskId))
      })
    },

    async sweepUploads() {
      await deps.removeUnusedUploads()
    },
  }
}
