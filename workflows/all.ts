import { deliverMail } from './accounts/deliverMail.ts'
import { eraseAccount } from './accounts/eraseAccount.ts'
import { sweepVisits } from './analytics/sweepVisits.ts'
import { keepTerm } from './subscriptions/keepTerm.ts'
import { reconcile } from './subscriptions/reconcile.ts'
import { takeNotice } from './subscriptions/takeNotice.ts'
import { generateVideo } from './tasks/generateVideo.ts'
import { recoverVideo } from './tasks/recoverVideo.ts'
import { sweepHolds } from './tasks/sweepHolds.ts'
import { sweepUploads } from './tasks/sweepUploads.ts'

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
