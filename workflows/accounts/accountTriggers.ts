import type { RowTrigger } from '../engine/rowTriggers.ts'
import { deliverMail } from './deliverMail.workflow.ts'
import { eraseAccount } from './eraseAccount.workflow.ts'

export const mailTrigger = (waiting: RowTrigger['waiting']): RowTrigger => ({
  waiting,
  start: (engine, mailId) => engine.start(deliverMail, { mailId }),
})

export const erasureTrigger = (waiting: RowTrigger['waiting']): RowTrigger => ({
  waiting,
  start: (engine, userId) => engine.start(eraseAccount, { userId }),
})
