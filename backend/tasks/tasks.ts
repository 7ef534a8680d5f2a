import { foldVideoTask, readAccess, rowAfter, type TaskWithProgress } from '#projections/tasks/readVideoTasks.ts'
import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import type { EventStore, GlobalPosition } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Handle, Step } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import type { KeyCaller } from '../kernel/http/bearer.ts'
import { withIdempotencyKey } from '../kernel/http/idempotency.ts'
import type { OwnWrites } from '../kernel/http/ownWrites.ts'
import { ValidationError } from '../kernel/http/problemDetails.ts'
import type { Owned } from '../kernel/ownership.ts'
import type { Database } from '../kernel/postgres/orm.ts'
import type { Clock } from '../kernel/time.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { creditCost, type Generation, isCropped, isFullHd, type JoinBody, shapeOf } from './contract.ts'
import { payerOf, type VideoTaskOrder } from './events.ts'
import { type JoinPlan, joinOrder } from './library/joinOrder.ts'
import type { MediaRemovals } from './mediaRemovals.port.ts'
import { type AboutText, aboutNegativePrompt, aboutPrompt } from './promptCipher.port.ts'
import { renderLane } from './renderLane.decider.ts'
import type { ImageUploads } from './uploads/imageUploads.ts'
import type { Understanding } from './videoProvider.port.ts'
import { videoTask } from './videoTask.decider.ts'
import { isCharged, isEnded, isSubmitted, releaseReason } from './videoTask.rules.ts'

type Appended = Promise<GlobalPosition | undefined>

export interface TaskDeps {
  readonly handle: Handle
  readonly store: EventStore
  readonly database: Database
  readonly note: OwnWrites['note']
  readonly clock: Clock
  readonly removals: Pick<MediaRemovals, 'around'>
  readonly uploads: ImageUploads
  readonly catalogue: Pick<Catalogue, 'offered'>
  /** Refuses a new video. Nothing of it is stored. @throws Rejection generation_paused, model_paused, words_blocked */
  readonly assertMayMake: (order: { readonly model?: string; readonly prompt: string }) => Promise<void>
  /** Returns whether a provider, by its name in the task's events, can stop a running job. */
  readonly cancels: (provider: string) => boolean
  /** Returns what a provider would draw of a prompt; undefined if it draws anything. */
  readonly understands: (provider: string, prompt: string) => Understanding | undefined
  /** Wakes the worker that polls a task. */
  readonly wake: (taskId: string) => Promise<void>
  readonly encrypt: (about: AboutText, text: string) => Promise<string>
  /** Returns who pays for what a user orders with a team. @throws Rejection not_in_team */
  readonly payerIn: (teamId: string, userId: string) => Promise<string>
  /** Returns the team that a user's films are shown to: the own one, or the first that was joined. @throws Rejection not_in_team */
  readonly teamOf: (userId: string) => Promise<string>
  /** Returns the entitlements of the user's plan. Priority 1 is served first. */
  readonly allowance: (userId: string) => Promise<{ openTasks: number; priority: number; fullHd: boolean }>
  readonly credits: {
    hold(
      hold: {
        userId: string
        taskId: string
        amount: number
        openLimit: number
        key?: KeyCaller['purse'] | undefined
        spentBy?: string | undefined
      },
      context: CommandContext,
    ): Step<unknown>
    release(userId: string, taskId: string, reason: string, origin: { correlationId: string }): Appended
  }
}

interface Request {
  readonly userId: string
  /** Idempotency key. */
  readonly key: string | undefined
  /** What the key stands for, if the generation differs at each attempt. */
  readonly keyed?: unknown
  /** The task to create without a key, and whether it may have been created before. */
  readonly subject?: Readonly<{ id: string; isRetry: boolean }>
  readonly generation: Generation
  /** API key that orders; undefined if a session does. */
  readonly apiKey?: KeyCaller | undefined
  readonly command: (commandId: string) => CommandContext
}

interface JoinRequest extends Pick<Request, 'userId' | 'key' | 'command'> {
  readonly body: JoinBody
  /** Reads and checks the clips. */
  readonly plan: () => Promise<JoinPlan>
}

interface Submitted {
  readonly taskId: string
  readonly userId: string
  /** The team that pays, its owner, and the team that sees the film. */
  readonly team?: Pick<VideoTaskOrder, 'teamId' | 'payerId' | 'shownTo'>
  readonly purse?: KeyCaller['purse'] | undefined
}

interface GenerationSubmission extends Submitted {
  readonly generation: Generation
  readonly images: Images
  readonly source?: Source | undefined
  readonly from?: VideoTaskOrder['from']
}

type Submission =
  | GenerationSubmission
  | (Submitted & { readonly join: JoinPlan })
  /** What was ordered before. */
  | (Submitted & { readonly again: VideoTaskOrder })

/** The finished task whose video is made again, with the job that made it. */
type Source = Readonly<{ taskId: string; provider: string; jobId: string }>

/** Ids of the uploaded images of a task. */
interface Images {
  readonly firstFrame: string | null
  readonly lastFrame?: string
  readonly references?: readonly string[]
}

/** The task was abandoned before it was submitted, and its credits were released. Its id can never be used again. */
class TaskAbandoned extends Rejection {
  constructor() {
    super('unavailable', 'The task could not be started and its credits are back. Please try again.')
  }
}

export type Tasks = ReturnType<typeof createTasks>

/** A task of the caller. */
export type OwnTask = Owned<Pick<TaskWithProgress, 'id' | 'user_id' | 'payer_id'>>

/** @throws Rejection key_model, key_team */
function assertMayOrder(key: KeyCaller | undefined, { model, team_id: teamId }: Generation): void {
  if (key?.models && !key.models.includes(model))
    throw new Rejection('key_model', `This API key may not order ${model}.`)
  if (key && teamId !== undefined && teamId !== key.teamId)
    throw new Rejection('key_team', 'This API key pays from another account.')
}

/** Creates the service that submits and deletes video tasks. It answers from the log: read models may be behind. */
export function createTasks(deps: TaskDeps) {
  const { handle, store, database, note, uploads } = deps

  /** Submits what `prepare` returns, once per idempotency key. */
  const start = async (
    attempt: Omit<Parameters<typeof withIdempotencyKey>[1], 'isLost'>,
    command: Request['command'],
    prepare: (taskId: string) => Promise<Submission>,
  ) => {
    const isLost = (error: unknown) => error instanceof TaskAbandoned
    let created: TaskWithProgress | undefined
    const taskId = await withIdempotencyKey(database, { ...attempt, isLost }, async (taskId, isRetry) => {
      // An accepted task stays accepted, whatever plan, models and pictures the user has by now.
      if (isRetry && isSubmitted((await handle.read(videoTask, taskId)).state)) return taskId
      const { held, submitted } = await submitTask(deps, await prepare(taskId), command(derivedId('generate', taskId)))
      await note(attempt.userId, { videoTasks: submitted.position, creditBalances: held })
      created = rowAfter(submitted.appended ?? [])
      return taskId
    })
    return { row: created ?? (await readRow(store, taskId)), isRepeated: !created }
  }

  return {
    /**
     * Starts a task, once per idempotency key if there is one. Returns its row, and whether it was started before.
     * @throws Rejection insufficient_credits, key_limit_reached, key_model, key_team, not_in_team, member_limit_reached, generation_paused, model_paused, words_blocked, queue_full, plan_required, price_changed, not_drawable, not_found (task deleted), unavailable
     */
    async generate({ userId, key, keyed, subject, generation, apiKey, command }: Request) {
      assertMayOrder(apiKey, generation)
      // The expected price is a condition, not a part of the order. A retry may name another one.
      const { expected_credits: _, ...body } = generation
      return start({ userId, key, body: keyed ?? body, ...(subject && { subject }) }, command, async (taskId) => {
        await deps.assertMayMake(generation)
        const images = await claimImages(uploads, userId, generation)
        const source = await readSource(deps, userId, generation)
        const from = await readParent({ handle, uploads }, userId, generation, images)
        const team = await teamOf(deps, userId, generation, apiKey)
        return { taskId, userId, team, generation, images, source, from, purse: apiKey?.purse }
      })
    },

    /**
     * Starts a task that joins finished videos, once per idempotency key if there is one. Returns its row.
     * @throws Rejection generation_paused, words_blocked, queue_full, unavailable, and those of `plan`
     */
    async join({ userId, key, body, command, plan }: JoinRequest) {
      const { row } = await start({ userId, key, body }, command, async (taskId) => {
        const join = await plan()
        // The read models may still show a clip that was just deleted.
        for (const id of new Set(join.clips.map(({ row }) => row.id)))
          if ((await handle.read(videoTask, id)).state.status === 'deleted')
            throw new Rejection('not_found', 'This task was deleted.')
        await deps.assertMayMake({ prompt: join.title })
        return { taskId, userId, join }
      })
      return row
    },

    ...createTaskChanges(deps),
  }
}

/** Creates what changes a task that exists. */
function createTaskChanges(deps: TaskDeps) {
  const { handle, store, note } = deps
  /** Either of the two may have sent the command. */
  const noteFor = async (task: OwnTask, written: Parameters<typeof note>[1]) => {
    for (const userId of new Set([task.user_id, payerOfRow(task)])) await note(userId, written)
  }

  return {
    /** Shows a film to a team, or to none. */
    async show(task: OwnTask, shownTo: string | null, context: CommandContext): Promise<void> {
      const at = new Date(deps.clock()).toISOString()
      const { position } = await handle(videoTask, task.id, { type: 'Show', shownTo, at }, context)
      await noteFor(task, { videoTasks: position })
    },

    /** Cancels an unfinished task and returns its row. @throws Rejection cannot_cancel, not_found (task deleted) */
    async cancel(task: OwnTask, context: CommandContext) {
      const positions = await cancelTask(deps, task, context)
      await noteFor(task, positions)
      return readRow(store, task.id)
    },

    /**
     * Deletes a finished task, or cancels a waiting one and releases its credits. A workflow removes its files.
     * @throws Rejection task_in_progress
     */
    async remove(task: OwnTask, context: CommandContext): Promise<void> {
      await noteFor(task, await removeTask(deps, task, context))
    },
  }
}

/** Returns the team that pays, its owner, and the team that sees the film. @throws Rejection not_in_team */
async function teamOf(
  deps: Pick<TaskDeps, 'payerIn' | 'teamOf'>,
  userId: string,
  { team_id, visibility }: Generation,
  apiKey: KeyCaller | undefined,
): Promise<Submission['team']> {
  const teamId = apiKey ? apiKey.teamId : team_id
  const paid = teamId ? { teamId, payerId: await deps.payerIn(teamId, userId) } : {}
  const isShown = (visibility ?? (teamId ? 'team' : 'private')) === 'team'
  return isShown ? { ...paid, shownTo: teamId ?? (await deps.teamOf(userId)) } : paid
}

/** Returns a task's row from the log. @throws Rejection not_found (task deleted) */
async function readRow(store: EventStore, taskId: string): Promise<TaskWithProgress> {
  const row = await foldVideoTask(store, taskId)
  if (!row) throw new Rejection('not_found', 'This task was deleted.')
  return row
}

/**
 * Deletes a task and releases its credits if they were not charged. Returns the positions that read models must reach
 * to show it. @throws Rejection task_in_progress
 */
async function removeTask(
  { handle, clock, credits, removals }: Pick<TaskDeps, 'handle' | 'clock' | 'credits' | 'removals'>,
  task: OwnTask,
  context: CommandContext,
) {
  const taskId = task.id
  const at = new Date(clock()).toISOString()
  const { state, position } = await removals.around(taskId, () =>
    handle(videoTask, taskId, { type: 'Delete', at }, context),
  )
  const { correlationId } = context
  const released = isCharged(state)
    ? undefined
    : await credits.release(payerOfRow(task), taskId, releaseReason(state), { correlationId })
  return { videoTasks: position, creditBalances: released }
}

/** Returns whose credits a task uses. */
const payerOfRow = ({ user_id, payer_id }: OwnTask): string => payer_id ?? user_id

/** Cancels an unfinished task. Returns the positions that read models must reach to show it. @throws Rejection cannot_cancel */
export async function cancelTask(
  { handle, clock, credits, cancels, wake }: Pick<TaskDeps, 'handle' | 'clock' | 'credits' | 'cancels' | 'wake'>,
  { id: taskId, user_id: userId }: Pick<TaskWithProgress, 'id' | 'user_id'>,
  context: CommandContext,
) {
  const { state: before } = await handle.read(videoTask, taskId)
  if (before.status === 'rendering' && !cancels(before.provider))
    throw new Rejection('cannot_cancel', 'This video is being made by an engine that cannot cancel.')
  const payerId = 'order' in before ? payerOf(before.order) : userId
  const at = new Date(clock()).toISOString()
  const { state, position } = await handle(videoTask, taskId, { type: 'Cancel', at }, context)
  // A worker ends a task whose job is still running.
  const released = isEnded(state)
    ? await credits.release(payerId, taskId, releaseReason(state), { correlationId: context.correlationId })
    : undefined
  await wake(taskId)
  return { videoTasks: position, creditBalances: released }
}

/**
 * Holds the credits, submits the task, and asks for its place in the user's render lane, in one commit where the store
 * can. Otherwise a crash after the first step leaves a hold without a task, which the sweep releases. Idempotent per task id.
 */
export async function submitTask(
  deps: Pick<TaskDeps, 'handle' | 'credits' | 'encrypt' | 'allowance' | 'clock' | 'catalogue' | 'understands'>,
  submission: Submission,
  context: CommandContext,
) {
  const { handle, credits, allowance, clock } = deps
  const { taskId, userId, team } = submission
  const payerId = team?.payerId ?? userId
  const { openTasks, priority, fullHd } = await allowance(payerId)
  const order =
    'again' in submission
      ? { ...submission.again, priority }
      : 'join' in submission
        ? {
            ...{ taskId, userId, priority, ...joinOrder(submission.join) },
            encryptedPrompt: await deps.encrypt(aboutPrompt({ userId }, taskId), submission.join.title),
          }
        : await orderOf(deps, submission, { priority, fullHd })
  const at = new Date(clock()).toISOString()
  const submitContext = { ...context, commandId: derivedId('submit', taskId) }
  const submit = handle.step(videoTask, taskId, { type: 'Submit', order, at }, submitContext)
  // The lane serves tasks in the order of their requests, and workflows may start in another order.
  const slotContext = { ...context, commandId: derivedId('ask slot', taskId) }
  const slot = { type: 'AskSlot', userId: payerId, taskId, at } as const
  const askSlot = handle.step(renderLane, payerId, slot, slotContext)
  const spent = { key: submission.purse, spentBy: payerId === userId ? undefined : userId }
  const held = await credits
    .hold({ userId: payerId, taskId, amount: order.credits, openLimit: openTasks, ...spent }, context)
    .sendWith(() => [submit, askSlot] as const)
    .catch((error) => {
      if (error instanceof Rejection && error.code === 'hold_settled') return undefined
      throw error
    })
  if (!held) {
    // The task has either ended or was never submitted. `Abandon` tells which, and prevents a late submission.
    const submitted = await handle(videoTask, taskId, { type: 'Abandon', taskId, at }, submitContext)
    if (submitted.state.status === 'abandoned') throw new TaskAbandoned()
    return { held: undefined, submitted }
  }
  const [submitted = await submit.send().catch(throwIfAbandoned), asked] = held.followed
  // The workflow repeats a request that failed.
  if (!asked && submitted.state.status === 'waiting') await askSlot.send().catch(() => {})
  return { held: held.position, submitted }
}

function throwIfAbandoned(error: unknown): never {
  throw error instanceof Rejection && error.code === 'task_abandoned' ? new TaskAbandoned() : error
}

/** Returns what the task will be made from. @throws Rejection plan_required, price_changed, not_drawable @throws ValidationError */
async function orderOf(
  { encrypt, catalogue, understands }: Pick<TaskDeps, 'encrypt' | 'catalogue' | 'understands'>,
  { taskId, userId, team, generation, images, source, from }: GenerationSubmission,
  { priority, fullHd }: { priority: number; fullHd: boolean },
): Promise<VideoTaskOrder> {
  const { task_type, model, resolution, duration, expected_credits: expected } = generation
  if (isFullHd(resolution) && !fullHd) throw new Rejection('plan_required', '1080P needs a paid plan.')
  const configuration = { taskType: task_type, model, resolution, duration }
  const offered = catalogue.offered().find(({ id }) => id === model)
  const shape = shapeOf(offered, configuration)
  // The catalogue changed after the request was validated.
  if (!offered || !shape) throw new ValidationError([{ path: 'model', code: 'unknown_model' }])
  const sources = offered.routes.filter(({ provider }) => !source || provider === source.provider)
  const credits = creditCost(offered, configuration)
  if (expected !== undefined && expected !== credits)
    throw new Rejection('price_changed', `The price of this video is now ${credits} credits.`, { credits })
  const maker = { userId, ...team }
  return {
    taskId,
    ...maker,
    ...configuration,
    encryptedPrompt: await encrypt(aboutPrompt(maker, taskId), generation.prompt),
    cameraMovements: generation.camera_movements,
    promptOptimizer: generation.prompt_optimizer,
    ...images,
    ...(offered.seed && { seed: seedOf(taskId) }),
    ...(generation.aspect_ratio && isCropped(offered) && { cropped: true as const }),
    ...(await settingsOf(generation, (text) => encrypt(aboutNegativePrompt(maker, taskId), text))),
    modelVersion: offered.version,
    shape,
    routes: routesOf(understands, generation, sources),
    ...(source && { source: { taskId: source.taskId, jobId: source.jobId } }),
    ...(from && { from }),
    credits,
    priority,
  }
}

/**
 * Returns the film that a generation names as its parent, or from which its first frame was taken, if it is the user's. One that was
 * deleted in between is left out.
 */
async function readParent(
  { handle, uploads }: Pick<TaskDeps, 'handle' | 'uploads'>,
  userId: string,
  { from }: Generation,
  { firstFrame }: Images,
): Promise<VideoTaskOrder['from']> {
  const extended = firstFrame === null ? undefined : await uploads.taskOf(firstFrame)
  const { task_id: taskId, as } = (extended ? { task_id: extended, as: 'extend' as const } : from) ?? {}
  if (!taskId || !as) return undefined
  const { state } = await handle.read(videoTask, taskId)
  return 'order' in state && state.order.userId === userId ? { taskId, as } : undefined
}

/**
 * Returns the routes that draw enough of a prompt. A picture is never empty, whatever its prompt says.
 * @throws Rejection not_drawable
 */
function routesOf(
  understands: TaskDeps['understands'],
  { task_type, prompt }: Generation,
  routes: VideoTaskOrder['routes'],
): VideoTaskOrder['routes'] {
  if (task_type === 'image_to_video') return routes
  const drawing = routes.filter(({ provider }) => understands(provider, prompt)?.enough ?? true)
  const [first] = routes
  if (drawing.length > 0 || !first) return drawing
  const missing = understands(first.provider, prompt)?.missing.join(', ')
  throw new Rejection('not_drawable', `The demo draws too little of this prompt. It leaves out: ${missing}`)
}

/** Returns the source of a generation, if it has one. @throws ValidationError if its video cannot be made again */
async function readSource(
  { handle, database }: Pick<TaskDeps, 'handle' | 'database'>,
  userId: string,
  generation: Generation,
): Promise<Source | undefined> {
  const { source_task_id: taskId, model, task_type, duration, resolution } = generation
  if (!taskId) return undefined
  const { state } = await handle.read(videoTask, taskId)
  const fits =
    state.status === 'succeeded' &&
    state.order.model === model &&
    state.order.taskType === task_type &&
    state.order.duration === duration &&
    state.order.resolution !== resolution &&
    (await isMine(database, userId, state.order))
  if (!fits || !state.job) throw new ValidationError([{ path: 'source_task_id', code: 'unknown_source' }])
  return { taskId, ...state.job }
}

/** Returns whether a user may do everything with the film of an order. */
async function isMine(database: Database, userId: string, order: VideoTaskOrder): Promise<boolean> {
  const { payerId: payer_id = null, teamId: team_id = null, shownTo: shown_to = null } = order
  const film = { user_id: order.userId, payer_id, team_id, shown_to }
  return (await readAccess(database, userId, film)) === 'mine'
}

/** Claims the uploaded images of a generation. @throws ValidationError naming the image that the user does not own */
async function claimImages(uploads: ImageUploads, userId: string, generation: Generation): Promise<Images> {
  const { task_type, first_frame_image_url, last_frame_image_url, reference_image_urls } = generation
  const isImage = task_type === 'image_to_video'
  const firstFrame = isImage ? await uploads.claim(userId, first_frame_image_url ?? '') : null
  const references = await Promise.all(
    (reference_image_urls ?? []).map((url, n) => uploads.claim(userId, url, `reference_image_urls.${n}`)),
  )
  return {
    firstFrame,
    ...(last_frame_image_url
      ? { lastFrame: await uploads.claim(userId, last_frame_image_url, 'last_frame_image_url') }
      : {}),
    ...(references.length > 0 ? { references } : {}),
  }
}

/** Returns the seed of a task whose user chose none, so that a take can be made again. Ids end in random bits. */
const seedOf = (taskId: string): number => Number.parseInt(taskId.slice(-8), 16) >>> 1

/** Returns the optional settings of a generation as an order stores them. */
async function settingsOf({ aspect_ratio, seed, negative_prompt, sound }: Generation, encrypt: Encrypt) {
  return {
    ...(aspect_ratio ? { aspectRatio: aspect_ratio } : {}),
    ...(seed === undefined ? {} : { seed }),
    ...(negative_prompt ? { encryptedNegativePrompt: await encrypt(negative_prompt) } : {}),
    ...(sound === undefined ? {} : { sound }),
  } satisfies Partial<VideoTaskOrder>
}

type Encrypt = (text: string) => Promise<string>
