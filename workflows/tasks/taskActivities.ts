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
import { failureCause } from './failureCause.ts'
import { fetchVideo } from './fetchVideo.ts'
import { type GenerateVideoActivities, generateVideo, TURN } from './generateVideo.workflow.ts'
import type { RecoverVideoActivities } from './recoverVideo.workflow.ts'
import type { RemoveMediaActivities } from './removeMedia.workflow.ts'
import { createCalls, Finishing, failure, type Rendering } from './rendering.ts'
import { renderVideo } from './renderVideo.ts'
import type { SweepHoldsActivities } from './sweepHolds.workflow.ts'
import type { SweepUploadsActivities } from './sweepUploads.workflow.ts'
import { type ActivityDeps, createTaskCommands, type TaskCommands } from './taskCommands.ts'

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

type StoringDeps = ActivityDeps & { readonly finishing: Finishing }
type Activities<Name extends keyof TaskActivities> = Pick<Implemented<TaskActivities>, Name>

/** Deletes what the provider of a task keeps, unless its video may still arrive. A provider that is not configured any more keeps it. */
async function discard({ providers }: ActivityDeps, state: VideoTask, taskId: string): Promise<void> {
  if (state.status === 'failed' && state.jobId !== null) return
  // A deleted task has forgotten its provider.
  if (state.status === 'deleted') return discardEverywhere(providers, taskId)
  const name = state.status === 'succeeded' ? state.job?.provider : 'provider' in state ? state.provider : undefined
  if (name !== undefined) await providers.get(name)?.discard(taskId)
}

/** Fetches a video and prepares its copies. Returns the error if a retry would not help: there is no file, or it is no playable video. */
async function fetchIfPlayable(
  deps: StoringDeps,
  { order, provider, engineModel, jobId }: Pick<Rendering, 'order' | 'provider' | 'engineModel' | 'jobId'>,
  signal: AbortSignal,
) {
  const { taskId: id, userId: user_id, payerId: payer_id = null, model, routes } = order
  const { engine, engine_model } = makerOf(provider, routes)
  const maker = { engine, engine_model: engineModel ?? engine_model }
  const origin = { source: sourceOf(maker), agent: maker.engine_model }
  const receipt = await deps.assertionOf({ taskId: id, model, ...maker })
  const ratio = order.cropped && order.aspectRatio
  const clips = order.join?.clips.map(({ taskId }) => taskId)
  const job = { taskId: id, origin, receipt, jobId: jobId ?? id, ratio, clips }
  const file = await fetchVideo(deps, providerOf(deps.providers, provider), job, signal).catch((error: Error) => {
    if (error instanceof UnplayableVideoError || error instanceof UndeliverableVideo) return error
    throw error
  })
  if (!(file instanceof Error)) await deps.finishing.run(() => deps.prepareCopies({ id, user_id, payer_id, ...maker }))
  return file
}

/** Ends a task that was never submitted, and prevents a late submission. Changes no other task. */
const abandon = ({ sendCommand, at }: TaskCommands, taskId: string) =>
  sendCommand(taskId, { type: 'Abandon', taskId, at: at() })

type Slots = ReturnType<typeof createSlots>

/** Creates the use of render slots, of which each user has a few. */
function createSlots(deps: ActivityDeps, commands: TaskCommands) {
  const { handle } = deps
  const { at, sendCommand, contextOf, failIfWaitedTooLong } = commands

  const release = async (taskId: string, userId: string) => {
    const command = { type: 'ReleaseSlot', userId, taskId, at: at() } as const
    return handle.step(renderLane, userId, command, await contextOf('release slot', taskId))
  }

  const wakeWaiting = async (userId: string, { waiting }: RenderLane) => {
    for (const taskId of waiting) await deps.signal(generateVideo, { taskId, userId }, TURN)
  }

  const activities: Activities<'claimSlot' | 'releaseSlot'> = {
    async claimSlot({ taskId, userId }) {
      const limit = await deps.concurrentLimit(userId)
      const command = { type: 'ClaimSlot', userId, taskId, limit, at: at() } as const
      const lane = (await handle(renderLane, userId, command, await contextOf('claim', taskId))).state
      if (lane.holding.includes(taskId)) return 'claimed'
      const state = await sendCommand(taskId, { type: 'Queue', at: at() })
      // A task in progress continues without a slot.
      if (!isEnded(state) && state.status !== 'waiting') return 'claimed'
      return isEnded(state) || (await failIfWaitedTooLong(taskId, state)) ? 'over' : 'waiting'
    },

    async releaseSlot({ taskId, userId }) {
      await wakeWaiting(userId, (await (await release(taskId, userId)).send()).state)
    },
  }

  return { release, wakeWaiting, activities }
}

/** Creates the activities that end a task, with its file or without. */
function createStoring(deps: StoringDeps, commands: TaskCommands, slots: Slots): Activities<'store' | 'fail'> {
  const { at, sendCommand, origin } = commands

  /** Fails a task, and deletes what its provider keeps unless its video may still arrive. */
  const fail = async ({ taskId, code, detail }: { taskId: string; code: FailureCode; detail: string }) => {
    const cause = failureCause(code, detail)
    const state = await sendCommand(taskId, { type: 'Fail', code: cause, detail, at: at() })
    if (state.status === 'failed' && state.code === cause) {
      const engine = state.provider
      deps.onFailed?.({ taskId, engine, engineModel: state.engineModel, code: cause, detail })
    }
    await deps.showProgress(taskId, undefined)
    await discard(deps, state, taskId)
    return undefined
  }

  /**
   * Ends a task with its file, and captures its credits and releases its slot in the same commit, where the store can.
   * Returns whether it did.
   */
  const succeed = async (taskId: string, userId: string, file: VideoFile): Promise<boolean> => {
    const capture = deps.credits.capture(userId, taskId, await origin(taskId))
    const release = await slots.release(taskId, userId)
    const succeeded = await commands.step(taskId, { type: 'Succeed', file, at: at() })
    const { followed } = await succeeded.sendWith((state) =>
      state.status === 'succeeded' && isCharged(state) ? ([capture, release] as const) : [],
    )
    const [captured, released] = followed
    if (captured) await deps.creditsSpent(userId)
    if (released) await slots.wakeWaiting(userId, released.state)
    return released !== undefined
  }

  return {
    async store({ taskId, userId }, { signal }) {
      const state = await sendCommand(taskId, { type: 'StartDownload', at: at() })
      if (isEnded(state)) {
        await deps.showProgress(taskId, undefined)
        await discard(deps, state, taskId)
      }
      if (state.status !== 'downloading') return undefined
      const provider = providerOf(deps.providers, state.provider)
      const file = await fetchIfPlayable(deps, state, signal).catch((error) => {
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
  }
}

/** Creates the activities for videos that arrive late, and for files that are removed. */
function createRecovery(
  deps: StoringDeps,
  { at, sendCommand, readTask }: TaskCommands,
): Activities<'recover' | 'endRecovery' | 'removeMedia'> {
  return {
    async recover({ taskId }, { signal }) {
      const state = await readTask(taskId)
      if (state.status !== 'failed' || state.jobId === null) return 'over'
      const { order, jobId, provider = '', engineModel } = state
      const job = await providerOf(deps.providers, provider).state(jobId, signal)
      if (job.kind === 'queued' || job.kind === 'rendering')
        return deps.clock() < Date.parse(state.failedAt) + RECOVERY_MS ? 'pending' : 'over'
      if (job.kind === 'finished') {
        const file = await fetchIfPlayable(deps, { order, jobId, provider, engineModel }, signal)
        if (!(file instanceof Error)) await sendCommand(taskId, { type: 'Succeed', file, at: at() })
      }
      return 'over'
    },

    async removeMedia({ taskId }) {
      const { status } = await readTask(taskId)
      if (status !== 'deleted') return deps.removals.giveUp(taskId)
      // An engine that was away when the video was stored may still keep its prompt.
      await discardEverywhere(deps.providers, taskId)
      await removeTaskMedia(deps.media, taskId)
      await deps.removals.done(taskId)
    },

    async endRecovery({ taskId }) {
      // A task deleted while its late video was downloaded may have stored a file after the deletion removed its media.
      if ((await readTask(taskId)).status === 'deleted') await removeTaskMedia(deps.media, taskId)
      await discard(deps, await sendCommand(taskId, { type: 'EndRecovery', at: at() }), taskId)
    },
  }
}

const createSweeps = (deps: ActivityDeps, commands: TaskCommands): Activities<'sweepHolds' | 'sweepUploads'> => ({
  async sweepHolds() {
    await forEachReadable(await deps.holdsOlderThan(ORPHAN_AGE_MS), async ({ taskId, userId }) => {
      const state = await abandon(commands, taskId)
      if (state.status === 'abandoned')
        await deps.credits.release(userId, taskId, 'abandoned', await commands.origin(taskId))
    })
  },

  async sweepUploads() {
    await deps.removeUnusedUploads()
  },
})

/** Creates the task activities, which send commands to deciders and call the provider and the media store. */
export function createTaskActivities(deps: ActivityDeps): Implemented<TaskActivities> {
  const { credits } = deps
  const commands = createTaskCommands(deps)
  const finishing = new Finishing()
  const calls = createCalls()
  const unanswered = new Set<string>()
  const uncalled = new Map<string, string>()
  const { readTask, origin } = commands
  const slots = createSlots(deps, commands)

  return {
    ...slots.activities,
    ...createStoring({ ...deps, finishing }, commands, slots),
    ...createRecovery({ ...deps, finishing }, commands),
    ...createSweeps(deps, commands),

    render: ({ taskId }, context) =>
      renderVideo({ ...deps, ...commands, finishing, calls, unanswered, uncalled }, taskId, context),

    async settleCredits({ taskId, userId }) {
      const known = await readTask(taskId)
      // A restored log may lack the task. The append fails if the task exists.
      const state = known.status === 'none' ? await abandon(commands, taskId) : known
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
  }
}
