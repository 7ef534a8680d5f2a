import { type Acts, createCarryOut } from '#workflows/desk/carryOut.ts'
import { createFreeGrants } from '../accounts/freeGrants.ts'
import { createMailedLinks } from '../accounts/mails/mailedLinks.ts'
import { createOperatorActs } from '../accounts/operatorActs.ts'
import { createSecurityLog } from '../accounts/security/securityLog.ts'
import { wakeTask } from '../tasks/providerCallbacks.ts'
import { setPageRemoved } from '../tasks/shares/shareRemovals.ts'
import { cancelTask } from '../tasks/tasks.ts'
import type { Adapters } from './adapters.ts'
import type { Context } from './context.ts'
import type { Services } from './services.ts'

/** Creates the function that carries out an operator's action. */
export function openCarryOut(
  context: Context,
  { payments, videos }: Adapters,
  { cases, credits, isErased, outbox, welcome }: Services,
  publicUrl: () => string,
) {
  const { calendar, clock, config, database, handle, pool } = context
  const accounts = createOperatorActs({
    ...{ database, outbox, publicUrl, calendar, setPageRemoved },
    links: createMailedLinks(database, outbox, publicUrl, clock),
    grants: createFreeGrants(database, config.secrets.encryption, welcome),
    securityLog: createSecurityLog(database),
    supportEmail: config.http.supportEmail,
  })
  const cancels = (provider: string) => videos.get(provider)?.cancels ?? false
  const wake = (taskId: string) => wakeTask(pool, taskId)
  const acts: Acts = {
    ...accounts,
    async take_down(action) {
      await accounts.take_down(action)
      await cases.settle('report', action.subject, 'done')
    },
    async cancel_task({ subject, userId }, command) {
      await cancelTask({ handle, clock, credits, cancels, wake }, { id: subject, user_id: userId }, command)
    },
  }
  return createCarryOut({ ...context, acts, isErased, credits, payments })
}
