import type { CommandContext } from '../kernel/eventsourcing/command.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { payerOf, VIDEO_TASK } from './events.ts'
import { aboutNegativePrompt, aboutPrompt, type Decrypt } from './promptCipher.port.ts'
import { type OwnTask, submitTask, type TaskDeps } from './tasks.ts'
import { videoTask } from './videoTask.decider.ts'
import { isEnded, releaseReason } from './videoTask.rules.ts'

/**
 * Ends a task that is stuck, and gives its credits back. A job that finishes later all the same is delivered for nothing.
 * @throws Rejection cannot_release
 */
export async function releaseTask(
  { handle, store, clock, credits, wake }: Pick<TaskDeps, 'handle' | 'store' | 'clock' | 'credits' | 'wake'>,
  { id: taskId }: Pick<OwnTask, 'id'>,
  context: CommandContext,
): Promise<void> {
  const { state: before } = await handle.read(videoTask, taskId)
  const code = before.status === 'waiting' ? 'waited_too_long' : 'render_timed_out'
  const fail = { type: 'Fail', code, detail: 'Released by an operator.', at: new Date(clock()).toISOString() } as const
  const { correlationId } = context
  const { state } = isEnded(before) ? { state: before } : await handle(videoTask, taskId, fail, context)
  // An attempt that was interrupted has ended it already.
  if (state.status !== 'failed' || !(await isEndedBy(store, taskId, correlationId)))
    throw new Rejection('cannot_release', 'This video has ended.')
  await credits.release(payerOf(state.order), taskId, releaseReason(state), { correlationId })
  await wake(taskId)
}

async function isEndedBy(store: TaskDeps['store'], taskId: string, correlationId: string): Promise<boolean> {
  for await (const { type, meta } of store.readStream(`${VIDEO_TASK}-${taskId}`))
    if (type === 'VideoTaskFailed' && meta.correlationId === correlationId) return true
  return false
}

type Again = Readonly<{ taskId: string; newId: string; userId: string }>
type RetryDeps = Parameters<typeof submitTask>[0] & { readonly tryDecrypt: Decrypt }

/**
 * Orders a failed video again as a new task, with the same settings and price, for the credits that paid for it. Idempotent for each new id.
 * @throws Rejection cannot_retry, insufficient_credits, queue_full, not_found
 */
export async function retryTask(deps: RetryDeps, { taskId, newId, userId }: Again, context: CommandContext) {
  const { state } = await deps.handle.read(videoTask, taskId)
  if (state.status !== 'failed') throw new Rejection('cannot_retry', 'Only a failed video can be made again.')
  const { encryptedPrompt, encryptedNegativePrompt, ...order } = state.order
  const { payerId, teamId } = order
  const reseal = async (about: typeof aboutPrompt, sealed: string) => {
    const text = await deps.tryDecrypt(about(order, taskId), sealed)
    if (text === undefined) throw new Rejection('not_found', 'The text of this video was deleted.')
    return deps.encrypt(about(order, newId), text)
  }
  const again = {
    ...{ ...order, taskId: newId, encryptedPrompt: await reseal(aboutPrompt, encryptedPrompt) },
    ...(encryptedNegativePrompt && {
      encryptedNegativePrompt: await reseal(aboutNegativePrompt, encryptedNegativePrompt),
    }),
  }
  const team = payerId && teamId ? { team: { payerId, teamId } } : {}
  return submitTask(deps, { taskId: newId, userId, ...team, again }, context)
}
