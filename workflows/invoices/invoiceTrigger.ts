import type { RowTrigger } from '../engine/rowTriggers.ts'
import { issueInvoices } from './issueInvoices.workflow.ts'

export const invoiceTrigger = (isDue: () => Promise<boolean>): RowTrigger => ({
  waiting: async () => ((await isDue()) ? [issueInvoices.type] : []),
  start: (engine) => engine.start(issueInvoices, {}),
})
