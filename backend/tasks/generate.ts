import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import type { GlobalPosition } from '../kernel/eventsourcing/eventStore.port.ts'
import type { Handle } from '../kernel/eventsourcing/handle.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { creditCost, type Generation } from './contract.ts'
import type { VideoTaskOrder } from './events.ts'
import { type VideoTask, videoTask } from './videoTask.decider.ts'

/** What submitting a task needs of the world around it. */
export interface GenerateDeps {
  readonly handle: Handle
  readonly hold: (
    hold: { userId: string; taskId: string; amount: number; openLimit: number },
    context: CommandContext,
  ) => Promise<GlobalPosition | undefined>
  readonly encrypt: (userId: string, text: string) => Promise<string>
  /** What the user's plan allows; priority 1 goes first. */
  readonly allowance: (
    userId: string,
  ) => Promise<{ openTasks: number; concurrent: number; priority: number; fullHd: boolean }>
  readonly now: () => number
}

export interface Generated {
  readonly task: VideoTask
  /** Where the credit account and the task are in the log, for who waits for their read models. */
  readonly heldAt: GlobalPosition | undefined
  readonly submittedAt: GlobalPosition | undefined
}

interface Submission {
  readonly userId: string
  /** The same for every repetition: under one id, credits are held once and the task is submitted once. */
  readonly taskId: string
  readonly generation: Generation
  readonly firstFrame: string | null
}

/**
 * Holds the credits, then submits the task. A crash in between leaves a hold whose task's stream is empty: the sweep
 * gives those back.
 * @throws Rejection insufficient_credits, queue_full, plan_required  @throws TaskGivenUp
 */
export async function generateVideo(
  { handle, hold, encrypt, allowance, now }: GenerateDeps,
  { userId, taskId, generation, firstFrame }: Submission,
  context: CommandContext,
): Promise<Generated> {
  const { openTasks, priority, fullHd } = await allowance(userId)
  const { task_type, model, resolution, duration } = generation
  if (resolution === '1080P' && !fullHd) throw new Rejection('plan_required', '1080P needs a paid plan.')
  const configuration = { taskType: task_type, model, resolution, duration }
  const credits = creditCost(configuration)
  const at = new Date(now()).toISOString()
  const held = await hold({ userId, taskId, amount: credits, openLimit: openTasks }, context).catch((error) => {
    if (error instanceof Rejection && error.code === 'hold_settled') return 'settled' as const
    throw error
  })
  const commandContext = { ...context, commandId: derivedId('submit', taskId) }
  if (held === 'settled') return earlierTask(handle, taskId, at, commandContext)
  const order: VideoTaskOrder = {
    taskId,
    userId,
    ...configuration,
    encryptedPrompt: await encrypt(userId, generation.prompt),
    cameraMovements: generation.camera_movements,
    promptOptimizer: generation.prompt_optimizer,
    firstFrame,
    credits,
    priority,
  }
  const { state, position } = await handle(videoTask, taskId, { type: 'Submit', order, at }, commandContext).catch(
    (error) => {
      if (error instanceof Rejection && error.code === 'task_abandoned') throw new TaskGivenUp()
      throw error
    },
  )
  return { task: state, heldAt: held, submittedAt: position }
}

/** The task was given up before it began, and its credits went back: under this id nothing will ever be made. */
export class TaskGivenUp extends Rejection {
  constructor() {
    super('unavailable', 'The task could not be started and its credits are back. Please try again.')
  }
}

/** The credits of this id are settled: its task has ended, or was given up before it came to be. */
async function earlierTask(handle: Handle, taskId: string, at: string, context: CommandContext): Promise<Generated> {
  const { state, position } = await handle(videoTask, taskId, { type: 'Abandon', taskId, at }, context)
  if (state.status === 'abandoned') throw new TaskGivenUp()
  return { task: state, heldAt: undefined, submittedAt: position }
}
