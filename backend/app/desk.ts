import { readRepetitions } from '#projections/desk/readBulks.ts'
import { type Acts, createCarryOut } from '#workflows/desk/carryOut.ts'
import { sendCommand } from '#workflows/subscriptions/sendCommand.ts'
import { createFreeGrants } from '../accounts/freeGrants.ts'
import { createMailedLinks } from '../accounts/mails/mailedLinks.ts'
import { createOperatorActs } from '../accounts/operatorActs.ts'
import { createSecurityLog } from '../accounts/security/securityLog.ts'
import { aboutAddress } from '../desk/aboutAddress.ts'
import { deskAction } from '../desk/deskAction.decider.ts'
import { Rejection } from '../kernel/eventsourcing/pure/decider.ts'
import { derivedId } from '../kernel/eventsourcing/pure/eventHash.ts'
import { releaseTask, retryTask } from '../tasks/operatorTasks.ts'
import { wakeTask } from '../tasks/providerCallbacks.ts'
import { setPageRemoved } from '../tasks/shares/shareRemovals.ts'
import { cancelTask } from '../tasks/tasks.ts'
import { videoTask } from '../tasks/videoTask.decider.ts'
import { isSubmitted } from '../tasks/videoTask.rules.ts'
import type { Adapters } from './adapters.ts'
import type { Context } from './context.ts'
import type { Services } from './services.ts'

/** Creates the function that carries out an operator's action. */
export function openCarryOut(
  context: Context,
  { catalogue, payments, videos }: Adapters,
  { allowance, cases, credits, erasures, isErased, outbox, userKeys, welcome }: Services,
  publicUrl: () => string,
) {
  const { calendar, changes, clock, config, database, handle, pool, store } = context
  const accounts = createOperatorActs({
    ...{ database, outbox, publicUrl, calendar, setPageRemoved },
    links: createMailedLinks(database, outbox, publicUrl, clock),
    grants: createFreeGrants(database, config.secrets.encryption, welcome),
    securityLog: createSecurityLog(database),
    supportEmail: config.http.supportEmail,
    erase: erasures.request,
    addressOf: ({ userId, actionId, sealedAddress = '' }) =>
      userKeys.tryDecrypt(aboutAddress(userId, actionId), sealedAddress),
  })
  const { encrypt, tryDecrypt } = userKeys
  const cancels = (provider: string) => videos.get(provider)?.cancels ?? false
  const wake = (taskId: string) => wakeTask(pool, taskId)
  const repetitionOf = (actionId: string) => derivedId('retry', actionId)
  /** Refuses what another action has done, or what cannot be done any more. Those about a person run one after another. @throws Rejection cannot_retry */
  const refuseRepeated = async (subject: string, actionId: string) => {
    await changes.waitFor(['deskActions'], (await handle.read(deskAction, actionId)).position)
    for (const id of await readRepetitions(database, subject))
      if (id !== actionId && isSubmitted((await handle.read(videoTask, repetitionOf(id))).state))
        throw new Rejection('cannot_retry', 'This video was made again already.')
    // An order that was given up cannot be sent again, and would be repeated for ever.
    if ((await handle.read(videoTask, repetitionOf(actionId))).state.status === 'abandoned')
      throw new Rejection('cannot_retry', 'The order was given up before it was complete.')
  }
  const acts: Acts = {
    ...accounts,
    async take_down(action) {
      await accounts.take_down(action)
      await cases.settle('report', action.subject, 'done')
    },
    release_task: ({ subject }, command) =>
      releaseTask({ handle, store, clock, credits, wake }, { id: subject }, command),
    async retry_task({ subject, userId, actionId }, command) {
      await refuseRepeated(subject, actionId)
      const taskId = repetitionOf(actionId)
      const again = { taskId: subject, newId: taskId, userId }
      await retryTask(
        { handle, clock, credits, catalogue, allowance, encrypt, tryDecrypt, understands: () => undefined },
        again,
        command,
      )
      return taskId
    },
    async cancel_plan({ userId }) {
      const at = new Date(calendar()).toISOString()
      await sendCommand(context, { type: 'CancelSubscription', userId, encryptedReason: null, atPeriodEnd: true, at })
    },
    async cancel_task({ subject, userId }, command) {
      await cancelTask({ handle, clock, credits, cancels, wake }, { id: subject, user_id: userId }, command)
    },
  }
  return createCarryOut({ ...context, acts, isErased, credits, payments })
}
