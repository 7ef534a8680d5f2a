import { deliverMail } from './accounts/deliverMail.workflow.ts'
import { eraseAccount } from './accounts/eraseAccount.workflow.ts'
import { sweepVisits } from './analytics/sweepVisits.workflow.ts'
import { keepTerm } from './subscriptions/keepTerm.workflow.ts'
import { reconcile } from './subscriptions/reconcile.workflow.ts'
import { takeNotice } from './subscriptions/takeNotice.workflow.ts'
import { generateVideo } from './tasks/generateVideo.workflow.ts'
import { recoverVideo } from './tasks/recoverVideo.workflow.ts'
import { sweepHolds } from './tasks/sweepHolds.workflow.ts'
import { sweepUploads } from './tasks/sweepUploads.workflow.ts'

/** Every workflow by the name that it is started under, whichever engine runs it. */
export const WORKFLOWS = {
  generateVideo,
  recoverVideo,
  sweepHolds,
  sweepUploads,
  sweepVisits,
  deliverMail,
  eraseAccount,
  keepTerm,
  takeNotice,
  reconcile,
}
