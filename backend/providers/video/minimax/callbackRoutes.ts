import Router from '@koa/router'
import type { FindOrigin } from '#backend/kernel/eventsourcing/command.ts'
import type { Handle } from '#backend/kernel/eventsourcing/handle.ts'
import { Rejection } from '#backend/kernel/eventsourcing/pure/decider.ts'
import { uuid7 } from '#backend/kernel/eventsourcing/uuid7.ts'
import { readRawBody } from '#backend/kernel/http/readRawBody.ts'
import { VIDEO_TASK } from '#backend/tasks/events.ts'
import { videoTask } from '#backend/tasks/videoTask.decider.ts'
import { CALLBACK_PATH, taskOfAddress } from './callbackAddress.ts'
import { readCallback } from './readCallback.ts'

export interface CallbackRoutes {
  readonly handle: Handle
  readonly originOf: FindOrigin
  readonly now: () => number
  readonly callbackSecret: string
  /** Wakes whoever waits for news of the task. */
  readonly tellHint: (taskId: string) => Promise<void>
}

const LONGEST_BODY = 64 * 1024

/**
 * What MiniMax tells by itself. It is a hint: whoever waits for the task asks the provider. Only the job's id is kept, and
 * only where the answer that held it was lost. Told twice or in another order, it does no more.
 */
export function callbackRoutes({ handle, originOf, now, callbackSecret, tellHint }: CallbackRoutes): Router {
  return new Router().post(`${CALLBACK_PATH}/:address`, async (ctx) => {
    const taskId = taskOfAddress(callbackSecret, ctx.params.address!)
    if (!taskId) throw new Rejection('unauthenticated', 'This is no address of ours.')
    const { challenge, jobId } = readCallback((await readRawBody(ctx, LONGEST_BODY)).toString())
    if (challenge === undefined) {
      const at = new Date(now()).toISOString()
      const origin = await originOf(`${VIDEO_TASK}-${taskId}`)
      const context = { commandId: uuid7(), actor: 'system', correlationId: taskId, ...origin }
      if (jobId !== undefined) await handle(videoTask, taskId, { type: 'FindRender', jobId, at }, context)
      await tellHint(taskId)
    }
    ctx.set('Cache-Control', 'no-store')
    ctx.body = challenge === undefined ? {} : { challenge }
  })
}
